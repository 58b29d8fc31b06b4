import type { JsonObject } from '@bellwether/kernel';
import { specifiedTools as rules } from '../../../../test/support/tool-vocabulary';
import { EMPTY_DEFINITION } from '../metadata/definition';
import type { Definition } from '../metadata/document.types';
import { checkStrategy } from './check-strategy';
import { checkShape, withAutomaticTemplate } from './check-template';
import { MAX_TOOLS, checkNumber, checkTools } from './check-tools';
import type { Diagnostic } from './diagnostic.types';

const LONG = 'x'.repeat(65);
const SHOWN = LONG.slice(1);

/** Message and values: texts for people in four languages are chosen by `values.reason`. */
const told = (diagnostics: readonly Diagnostic[]): unknown[] =>
  diagnostics.map(({ message, values }) => (values === undefined ? [message] : [message, values]));

const tool = (entry: object, before: object[] = []): Diagnostic[] =>
  checkTools({ assistant_type: 'multi_tool', tools: [...before, { plugin: 'simple_rag', ...entry }] }, rules);

describe('a problem of one tool tells what is wanted', () => {
  const type = { reason: 'value.type' };
  const whole = (unit: string, least: number, most: number): unknown[] => [
    `must be a whole number${unit} from ${least} to ${most}`,
    { reason: 'value.range', least, most },
  ];
  const oneOf = (...names: string[]): unknown[] => [`must be one of ${names.join(', ')}`, { reason: 'value.enum' }];
  const questions = (wanted: string, limit: number, reason: string): unknown[] => [wanted, { reason, limit }];

  it.each<[string, object, unknown[]]>([
    ['an unknown name', { plugin: LONG }, [`no tool is called "${SHOWN}"`, { reason: 'name.unknown', name: SHOWN }]],
    [
      'a misspelt name',
      { plugin: 'simple_rak' },
      [
        'no tool is called "simple_rak"; did you mean "simple_rag"?',
        { reason: 'name.misspelt', name: 'simple_rak', closest: 'simple_rag' },
      ],
    ],
    [
      'a type of another tool',
      { type: 'rubric' },
      ['has no effect: `plugin` names simple_rag', { reason: 'setting.other_plugin', name: 'simple_rag' }],
    ],
    ['a number as placeholder', { placeholder: 7 }, ['must be a string', type]],
    [
      'a placeholder where none is filled',
      { plugin: 'no_rag', placeholder: '1_context' },
      ['this tool fills no placeholder', { reason: 'placeholder.none' }],
    ],
    [
      'the question as placeholder',
      { placeholder: 'user_input' },
      ['`user_input` is the question itself', { reason: 'placeholder.taken' }],
    ],
    [
      'a placeholder of another kind',
      { placeholder: '1_rubric' },
      [
        'must be `context` or a number and `_context`, such as `1_context`',
        { reason: 'placeholder.form', type: 'context' },
      ],
    ],
    ['a text as config', { config: 'x' }, ['must be an object']],
    [
      'too long a label',
      { label: 'x'.repeat(81) },
      ['must be a text of at most 80 characters', { reason: 'value.max_length', limit: 80 }],
    ],
    ['a text as switch', { enabled: 'yes' }, ['must be a boolean', type]],
    ['a number as cache', { cache: 1 }, ['must be a boolean', type]],
    ['an unknown way with errors', { on_error: 'explode' }, oneOf('continue', 'fail', 'fallback')],
    ['no time at all', { timeout_ms: 0 }, whole(' of milliseconds', 1, 600_000)],
    ['more than ten minutes', { timeout_ms: 600_001 }, whole(' of milliseconds', 1, 600_000)],
    ['a negative number of retries', { retries: -1 }, whole('', 0, 10)],
    ['eleven retries', { retries: 11 }, whole('', 0, 10)],
    ['half a retry', { retries: 0.5 }, whole('', 0, 10)],
    ['questions in one text', { example_questions: 'Why?' }, ['must be a list of questions', type]],
    [
      'eleven questions',
      { example_questions: Array(11).fill('Why?') },
      questions('must have at most 10 questions', 10, 'value.max_items'),
    ],
    [
      'one question that is too long',
      { example_questions: ['Why?', 'x'.repeat(201)] },
      questions('must have questions of at most 200 characters', 200, 'value.max_length'),
    ],
    ['a dependency that is no text', { depends_on: ['1_context', 7] }, ['must be a list of placeholders', type]],
    ['a text as fallback', { fallback: 'no_rag' }, ['must be an object', type]],
    [
      'an unknown key',
      { [LONG]: 1 },
      [`\`${SHOWN}\` is no key of a tool and has no effect`, { reason: 'name.unknown', name: SHOWN }],
    ],
    [
      'a misspelt key',
      { on_eror: 'fail' },
      [
        '`on_eror` is no key of a tool and has no effect; did you mean `on_error`?',
        { reason: 'name.misspelt', name: 'on_eror', closest: 'on_error' },
      ],
    ],
    ['a fallback without a tool', { fallback: {} }, ['is required', { reason: 'value.missing' }]],
    [
      'a fallback that looks at the answer',
      { fallback: { plugin: 'rubric', config: { checks: 'answer' } } },
      ['must not be a tool that looks at the finished answer', { reason: 'fallback.after_answer' }],
    ],
    [
      'a negative threshold',
      { fallback: { plugin: 'no_rag', threshold: -0.1 } },
      ['must be a number from 0 to 1', { reason: 'value.range', least: 0, most: 1 }],
    ],
    [
      'a threshold as text',
      { fallback: { plugin: 'no_rag', threshold: '0.5' } },
      ['must be a number from 0 to 1', { reason: 'value.range', least: 0, most: 1 }],
    ],
  ])('%s', (_, entry, expected) => expect(told(tool(entry))[0]).toEqual(expected));

  it('says nothing of values at their limits, nor of those not chosen', () => {
    const limits = { retries: 10, timeout_ms: 600_000, label: '', fallback: { plugin: 'no_rag', threshold: 1 } };
    expect(tool(limits)).toEqual([]);
    expect(tool({ placeholder: '', config: null, when: null, enabled: null, fallback: null })).toEqual([]);
    expect(tool({ placeholder: null, retries: 0, timeout_ms: 1 })).toEqual([]);
    expect(tool({ type: 'simple_rag', example_questions: [] })).toEqual([]);
  });

  it('lets an unknown tool have any placeholder without braces, and any config', () => {
    const unknown = (placeholder: string) => told(tool({ plugin: 'odd', placeholder, config: 7 })).slice(1);
    expect(unknown('1_odd')).toEqual([]);
    for (const bad of ['{odd', 'odd}'])
      expect(unknown(bad)).toEqual([['must not hold braces', { reason: 'placeholder.braces' }]]);
  });
});

describe('a problem between tools tells of the other one', () => {
  const none = { plugin: 'no_rag' };

  it('that has the placeholder', () =>
    expect(
      told(tool({ placeholder: '1_context' }, [none, { plugin: 'simple_rag', placeholder: '1_context' }])),
    ).toEqual([['already belongs to tools[1]']]));

  it('of a kind that there may be once', () => {
    const twice = { assistant_type: 'multi_tool', tools: [none, { type: 'no_tool' }, { type: 'simple_rag' }] };
    expect(checkTools(twice, rules)).toMatchObject([{ code: 'tool.invalid', path: 'metadata.tools[1]' }]);
    expect(told(checkTools(twice, rules))).toEqual([
      ['an assistant can have one no_rag only', { reason: 'tool.only_one' }],
    ]);
  });

  it('whose result is missing', () => {
    const needs = (wanted: unknown, orchestrator?: string) =>
      told(
        checkTools(
          {
            assistant_type: 'multi_tool',
            orchestrator,
            tools: [{ plugin: 'rubric_rag', config: { needs: wanted } }, none],
          },
          rules,
        ),
      );
    const nothing = 'has nothing to work on: ';
    expect(needs(true)).toEqual([[`${nothing}no enabled tool whose result it could read runs before it`]]);
    expect(needs('simple_rag')).toEqual([[`${nothing}no enabled tool \`simple_rag\` runs before it`]]);
    expect(needs(true, 'parallel')).toEqual([[`${nothing}with \`parallel\` no tool sees results of others`]]);
    expect(needs(true, 'planned')).toHaveLength(1);
    expect(needs(true, 'nope')).toEqual([]);
  });

  it('is one problem where there are too many', () => {
    const many = (count: number): unknown[] => Array(count).fill({ plugin: 'simple_rag' });
    const limit = { reason: 'value.max_items', limit: MAX_TOOLS };
    expect(told(checkNumber({ tools: many(101), functions: Array(101).fill('weather') }))).toEqual([
      ['must hold at most 100 tools', limit],
      ['must hold at most 100 functions', limit],
    ]);
  });
});

describe('a problem of the document tells what is wanted', () => {
  const type = { reason: 'value.type' };
  const entry = 'must be the name of a function, or an object with `plugin` or `type`';
  const question = (at: string): unknown[] => [at, { reason: 'value.length', least: 1, most: 200 }];

  it.each<[string, JsonObject, unknown[]]>([
    ['a number as text', { llm: 7 }, [['must be a string', type]]],
    ['a text as list', { tools: 'x' }, [['must be an array', type]]],
    ['a list as object', { capabilities: [] }, [['must be an object', type]]],
    ['a number as switch', { verbose: 0 }, [['must be a boolean', type]]],
    ['an unknown version', { _format_version: 5 }, [['must be 1, 2 or 3']]],
    ['no version', { _format_version: null }, []],
    ['an empty entry', { tools: [{}] }, [[entry, type]]],
    [
      'seven questions',
      { suggested_questions: Array(7).fill('Why?') },
      [['must hold at most 6 questions', { reason: 'value.max_items', limit: 6 }]],
    ],
    ['six questions', { suggested_questions: Array(6).fill('x'.repeat(200)) }, []],
    ['questions as a text', { suggested_questions: 'Why?' }, [['must be an array', type]]],
    [
      'questions that are none',
      { suggested_questions: ['Why?', ' ', 7, 'x'.repeat(201)] },
      [1, 2, 3].map(() => question('must be a text of 1 to 200 characters')),
    ],
  ])('%s', (_, metadata, expected) => expect(told(checkShape(metadata))).toEqual(expected));

  it('points at the question', () =>
    expect(checkShape({ suggested_questions: ['Why?', ''] })).toMatchObject([
      { code: 'metadata.invalid', path: 'metadata.suggested_questions[1]' },
    ]));
});

describe('a setting without effect tells why', () => {
  const strategy = (orchestrator: string, entry: object, more: object = {}) =>
    told(
      checkStrategy(
        { assistant_type: 'multi_tool', orchestrator, tools: [{ plugin: 'simple_rag', ...entry }], ...more },
        rules,
      ),
    );

  it.each<[string, object, object, unknown[]]>([
    ['nope', {}, {}, [`must be one of ${rules.strategies().join(', ')}`, { reason: 'value.enum' }]],
    [
      'sequential',
      {},
      { rubric_id: 4 },
      ['has no effect in a multi-tool assistant: add a tool instead', { reason: 'setting.classic_only' }],
    ],
    ['parallel', { depends_on: ['1_context'] }, {}, ['has no effect with the strategy `parallel`']],
    [
      'dependency',
      { depends_on: ['1_context'], config: { checks: 'answer' } },
      {},
      ['has no effect on a tool that looks at the finished answer'],
    ],
    [
      'sequential',
      { on_error: 'fallback' },
      {},
      ['there is no `fallback`: a failure leaves the slot empty', { reason: 'setting.no_fallback' }],
    ],
    [
      'sequential',
      { fallback: { plugin: 'no_rag', threshold: 0.3 } },
      {},
      ['has no effect unless `condition` is `on_low_confidence`', { reason: 'setting.only_low_confidence' }],
    ],
  ])('with %s and %j', (name, entry, more, expected) => expect(strategy(name, entry, more)).toEqual([expected]));

  it.each<[string, object]>([
    ['a threshold that is read', { fallback: { plugin: 'no_rag', threshold: 0.3, condition: 'on_low_confidence' } }],
    ['a threshold that is none', { fallback: { plugin: 'no_rag', threshold: null } }],
    ['a fallback for failures', { on_error: 'fallback', fallback: { plugin: 'no_rag' } }],
    ['another way with errors', { on_error: 'fail' }],
  ])('but not %s', (_, entry) => expect(strategy('sequential', entry)).toEqual([]));
});

describe('the automatic template', () => {
  const tools = (...entries: object[]): string => JSON.stringify({ assistant_type: 'multi_tool', tools: entries });
  const search = { plugin: 'simple_rag', placeholder: '1_context' };
  const rubric = { plugin: 'rubric_rag', placeholder: '2_rubric', label: 'Marks' };
  const of = (promptTemplate: string, metadata: string, more: Partial<Definition> = {}): Definition => ({
    ...EMPTY_DEFINITION,
    type: 'multi_tool',
    promptTemplate,
    metadata,
    ...more,
  });
  const EN = 'Course material:\n\n{1_context}\n\nQuestion:\n\n{user_input}';
  const ES = 'Material del curso:\n\n{1_context}\n\nPregunta:\n\n{user_input}';

  it.each(['', '  '])('fills %j with the slots of enabled tools that run before the answer', (text) => {
    const metadata = tools(
      search,
      { ...rubric, enabled: false },
      { ...search, placeholder: '3_context', config: { checks: 'answer' } },
    );
    const definition = of(text, metadata);
    expect(withAutomaticTemplate(definition, null, rules)).toEqual({ ...definition, promptTemplate: EN });
  });

  it('is no template where there is no tool, unless there are blanks', () => {
    expect(withAutomaticTemplate(of('', tools()), null, rules).promptTemplate).toBe('');
    expect(withAutomaticTemplate(of(' ', tools()), null, rules).promptTemplate).toBe('{user_input}');
  });

  it('leaves classic assistants and own templates alone', () => {
    const classic = of('', tools(search), { type: 'classic' });
    expect(withAutomaticTemplate(classic, null, rules)).toBe(classic);
    const own = of('My {user_input}', tools(search));
    expect(withAutomaticTemplate(own, of('My {user_input}', tools()), rules)).toBe(own);
    expect(withAutomaticTemplate(of(EN, tools(search, rubric)), null, rules).promptTemplate).toBe(EN);
  });

  it('follows the tools in the language that it has, while it is automatic', () => {
    const before = of(ES, tools(search));
    const followed = withAutomaticTemplate(of(ES, tools(search, rubric)), before, rules).promptTemplate;
    expect(followed).toBe(ES.replace('Pregunta', 'Marks:\n\n{2_rubric}\n\nPregunta'));
    expect(withAutomaticTemplate(of(ES, tools()), before, rules).promptTemplate).toBe('{user_input}');
  });

  it('does not follow from a classic assistant or from another text', () => {
    const after = of(EN, tools(search, rubric));
    expect(withAutomaticTemplate(after, of(EN, tools(search), { type: 'classic' }), rules)).toBe(after);
    expect(withAutomaticTemplate(after, of(ES, tools(search)), rules)).toBe(after);
  });
});
