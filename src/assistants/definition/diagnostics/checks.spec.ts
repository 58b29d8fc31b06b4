import type { JsonObject } from '@bellwether/kernel';
import { specifiedTools as rules } from '../../../../test/support/tool-vocabulary';
import { normaliseDocument } from '../normalise';
import { checkStrategy } from './check-strategy';
import { type TemplateCheck, checkShape, checkTemplate } from './check-template';
import { MAX_TOOLS, checkNumber, checkTools } from './check-tools';
import { type Diagnostic, errorsOf } from './diagnostic.types';

const multiTool = (...tools: unknown[]): JsonObject => ({ assistant_type: 'multi_tool', tools });
const found = (diagnostics: readonly Diagnostic[]): [string, string][] =>
  diagnostics.map(({ path, code }) => [path, code]);

function template(text: string, metadata: JsonObject): TemplateCheck {
  const stored = { systemPrompt: '', promptTemplate: text, metadata, ragCollections: [], ragTopK: 3 };
  return checkTemplate(text, 'template', normaliseDocument(stored, rules), rules);
}

describe('checking tools', () => {
  it('finds nothing wrong with good tools', () => {
    const good = multiTool(
      { plugin: 'simple_rag', placeholder: '1_context', config: { top_k: 3 }, timeout_ms: 1, retries: 0, cache: false },
      { type: 'rubric', placeholder: 'rubric', enabled: false, depends_on: ['1_context'], on_error: 'fallback' },
      { plugin: 'no_rag' },
    );
    expect([...checkShape(good), ...checkTools(good, rules)]).toEqual([]);
  });

  it('takes no more tools and functions than a run could bear', () => {
    const many = (count: number) => Array.from({ length: count }, () => 'weather');
    const tools = Array.from({ length: MAX_TOOLS + 1 }, () => ({ plugin: 'no_rag' }));
    expect(checkNumber({ tools: tools.slice(1), functions: many(MAX_TOOLS) })).toEqual([]);
    expect(found(checkNumber({ tools, functions: many(MAX_TOOLS + 1) }))).toEqual([
      ['metadata.tools', 'metadata.invalid'],
      ['metadata.functions', 'metadata.invalid'],
    ]);
  });

  it('lists every problem at once, each with its path', () => {
    const bad = multiTool(
      { plugin: 'simple_rax', placeholder: '1_context' },
      { plugin: 'simple_rag', placeholder: '1_context', config: { top_k: 99 } },
      {
        plugin: 'rubric_rag',
        placeholder: '2_context',
        enabled: 'yes',
        retries: -1,
        timeout_ms: 0,
        on_error: 'explode',
      },
      { plugin: 'single_file_rag', placeholder: 'user_input', config: 7 },
      { plugin: 'no_rag', placeholder: '1_context', fallback: { plugin: 'nope', config: {} } },
    );
    expect(found(checkTools(bad, rules))).toEqual([
      ['metadata.tools[0].plugin', 'tool.unknown'],
      ['metadata.tools[1].config.top_k', 'tool.config_invalid'],
      ['metadata.tools[2].placeholder', 'placeholder.invalid'],
      ['metadata.tools[2].enabled', 'tool.invalid'],
      ['metadata.tools[2].on_error', 'tool.invalid'],
      ['metadata.tools[2].timeout_ms', 'tool.invalid'],
      ['metadata.tools[2].retries', 'tool.invalid'],
      ['metadata.tools[3].placeholder', 'placeholder.invalid'],
      ['metadata.tools[3].config', 'tool.config_invalid'],
      ['metadata.tools[4].placeholder', 'placeholder.invalid'],
      ['metadata.tools[4].fallback.plugin', 'tool.unknown'],
      ['metadata.tools[1].placeholder', 'placeholder.duplicate'],
    ]);
    expect(checkTools(bad, rules)[0]?.message).toContain('did you mean "simple_rag"?');
  });

  it('takes a name for people of up to 80 characters', () => {
    const labelled = (label: unknown) => found(checkTools(multiTool({ plugin: 'simple_rag', label }), rules));
    expect(labelled('🧬'.repeat(80))).toEqual([]);
    for (const label of ['x'.repeat(81), 7, ['Biology']]) {
      expect(labelled(label)).toEqual([['metadata.tools[0].label', 'tool.invalid']]);
    }
  });

  it('takes up to ten example questions of 200 characters', () => {
    const taught = (example_questions: unknown) =>
      found(checkTools(multiTool({ plugin: 'simple_rag', example_questions }), rules));
    expect(taught(Array(10).fill('x'.repeat(200)))).toEqual([]);
    for (const wrong of ['Why?', [7], Array(11).fill('Why?'), ['x'.repeat(201)]]) {
      expect(taught(wrong)).toEqual([['metadata.tools[0].example_questions', 'tool.invalid']]);
    }
  });

  it('finds keys of an entry and its fallback that nothing reads, with the nearest known one', () => {
    const misspelt = multiTool({
      plugin: 'simple_rag',
      enable: false,
      on_eror: 'fail',
      dependson: [],
      colour: 'red',
      fallback: { plugin: 'no_rag', treshold: 0.2 },
    });
    const told = checkTools(misspelt, rules);
    expect(found(told)).toEqual([
      ['metadata.tools[0].enable', 'tool.unknown_key'],
      ['metadata.tools[0].on_eror', 'tool.unknown_key'],
      ['metadata.tools[0].dependson', 'tool.unknown_key'],
      ['metadata.tools[0].colour', 'tool.unknown_key'],
      ['metadata.tools[0].fallback.treshold', 'tool.unknown_key'],
    ]);
    expect(told.map(({ message }) => /did you mean `(\w+)`/.exec(message)?.[1])).toEqual([
      'enabled',
      'on_error',
      'depends_on',
      undefined,
      'threshold',
    ]);
    expect(told.every(({ severity }) => severity === 'error')).toBe(true);
    expect(errorsOf(told)).toEqual([]);
  });

  it.each(['{1_context}', '1-context', 'removed_1_context', '1_rubric', 'Context', ' ', '1_context ', 'constructor'])(
    'refuses the placeholder %j for a knowledge base',
    (placeholder) => {
      const [problem] = checkTools(multiTool({ plugin: 'simple_rag', placeholder }), rules);
      expect(problem?.code).toBe('placeholder.invalid');
    },
  );

  it('names the tools on a cycle and no others', () => {
    const tool = (placeholder: string, ...depends_on: string[]): JsonObject => ({
      plugin: 'simple_rag',
      placeholder,
      depends_on,
    });
    const cyclic = multiTool(
      tool('1_context', '3_context'),
      tool('2_context', '1_context'),
      tool('3_context', '1_context'),
      tool('4_context', '9_context', '4_context'),
      tool('5_context'),
    );
    expect(found(checkTools(cyclic, rules))).toEqual([
      ['metadata.tools[3].depends_on[0]', 'dependency.unknown'],
      ['metadata.tools[0].depends_on', 'dependency.cycle'],
      ['metadata.tools[2].depends_on', 'dependency.cycle'],
      ['metadata.tools[3].depends_on', 'dependency.cycle'],
    ]);
  });
});

describe('checking the shape', () => {
  it('refuses wrong types and versions, and never looks at unknown keys', () => {
    const bad = {
      _format_version: '3',
      assistant_type: 'multi_tool',
      orchestrator: 7,
      orchestrator_options: [],
      connector: 1,
      verbose: 'yes',
      capabilities: [],
      tools: [3, { config: {} }, ''],
      functions: [{}],
      anything: [[[]]],
    };
    expect(found(checkShape(bad))).toEqual([
      ['metadata.connector', 'metadata.invalid'],
      ['metadata.orchestrator', 'metadata.invalid'],
      ['metadata.orchestrator_options', 'metadata.invalid'],
      ['metadata.verbose', 'metadata.invalid'],
      ['metadata.capabilities', 'metadata.invalid'],
      ['metadata._format_version', 'metadata.version_unknown'],
      ['metadata.tools[0]', 'tool.invalid'],
      ['metadata.tools[1]', 'tool.invalid'],
      ['metadata.tools[2]', 'tool.invalid'],
      ['metadata.functions[0]', 'tool.invalid'],
    ]);
  });

  it('accepts null where nothing is chosen and any strategy name in a classic document', () => {
    expect(checkShape({ llm: null, connector: null, tools: null, orchestrator: 'nope' })).toEqual([]);
  });
});

describe('checking the strategy', () => {
  const strategy = (orchestrator: unknown, more: object, ...tools: unknown[]) =>
    checkStrategy({ ...multiTool(...tools), orchestrator, ...more }, rules);

  it('refuses one that there is not, and options that it has not', () => {
    expect(found(strategy('nope', { orchestrator_options: { odd: 1 } }))).toEqual([
      ['metadata.orchestrator', 'orchestrator.unknown'],
    ]);
    expect(found(strategy('parallel', { orchestrator_options: { odd: 1 } }))).toEqual([
      ['metadata.orchestrator_options.odd', 'orchestrator.options_invalid'],
    ]);
    expect(strategy(null, { orchestrator_options: {} })).toEqual([]);
    expect(checkStrategy({ orchestrator: 'nope' }, rules)).toEqual([]);
  });

  it('tells which settings it will not look at', () => {
    const tools = [
      { plugin: 'simple_rag', depends_on: [], on_dependency_failure: 'run', when: true },
      { plugin: 'rubric_rag', depends_on: ['1_context'], when: null, on_error: 'fallback' },
      {
        plugin: 'simple_rag',
        fallback: { plugin: 'no_rag', threshold: 0.3 },
        config: { checks: 'answer' },
        when: false,
      },
    ];
    const always = [
      ['metadata.tools[1].on_error', 'setting.ignored'],
      ['metadata.tools[2].when', 'setting.ignored'],
      ['metadata.tools[2].fallback.threshold', 'setting.ignored'],
    ];
    const dependency = strategy('dependency', {}, ...tools);
    expect(found(dependency)).toEqual(always);
    expect(dependency.every(({ severity }) => severity === 'info')).toBe(true);
    expect(found(strategy('conditional', {}, ...tools))).toEqual([
      ['metadata.tools[0].on_dependency_failure', 'setting.ignored'],
      ['metadata.tools[1].depends_on', 'setting.ignored'],
      ...always,
    ]);
    expect(found(strategy('parallel', {}, ...tools))).toHaveLength(6);
  });

  it('tells choices of classic assistants that tools have the place of, not what LAMB always writes', () => {
    const classic = { rag_processor: 'nope_rag', prompt_processor: 'nope', rubric_id: 42, file_path: 'a.md' };
    expect(found(strategy('sequential', classic))).toEqual(
      Object.keys(classic).map((key) => [`metadata.${key}`, 'setting.ignored']),
    );
    const customary = { rag_processor: '', prompt_processor: 'simple_augment', rubric_id: null, file_path: '' };
    expect(strategy('sequential', customary)).toEqual([]);
  });

  it('tells a type that names another tool than plugin, whatever name is used for either', () => {
    const tools = [
      { plugin: 'simple_rag', type: 'rubric' },
      { plugin: 'rubric_rag', type: 'rubric' },
    ];
    expect(found(checkTools(multiTool(...tools), rules))).toEqual([['metadata.tools[0].type', 'setting.ignored']]);
  });
});

describe('tools that look at the finished answer', () => {
  it('are nothing that other tools can wait for or see', () => {
    const metadata = {
      ...multiTool(
        { plugin: 'simple_rag', placeholder: '1_context', config: { checks: 'answer' }, depends_on: ['3_context'] },
        { plugin: 'simple_rag', placeholder: '2_context', depends_on: ['3_context', '1_context'] },
        { plugin: 'simple_rag', placeholder: '3_context' },
        {
          plugin: 'simple_rag',
          placeholder: '4_context',
          depends_on: ['2_context'],
          when: { var: 'results.1_context.ok' },
        },
      ),
      orchestrator: 'dependency',
    };
    const diagnostics = [...checkTools(metadata, rules), ...checkStrategy(metadata, rules)];
    expect(found(diagnostics).filter(([, code]) => code !== 'tool.config_invalid')).toEqual([
      ['metadata.tools[1].depends_on[1]', 'setting.ignored'],
      ['metadata.tools[3].when.var', 'condition.unseen'],
      ['metadata.tools[0].depends_on', 'setting.ignored'],
    ]);
  });
});

describe('checking what tools work on', () => {
  const joins = (more: object = {}) => ({ plugin: 'rubric_rag', config: { needs: true }, ...more });
  const checks = (more: object = {}) => ({ plugin: 'rubric_rag', config: { needs: 'single_file_rag' }, ...more });
  const file = (more: object = {}) => ({ plugin: 'single_file', placeholder: '1_file', ...more });
  const told = (orchestrator: string | undefined, ...tools: object[]): unknown[] =>
    found(
      checkTools({ ...multiTool(...tools), ...(orchestrator === undefined ? {} : { orchestrator }) }, rules),
    ).filter(([, code]) => code === 'tool.no_input');
  const at = (index: number): [string, string] => [`metadata.tools[${index}]`, 'tool.no_input'];

  it('warns of a tool that joins results under a strategy that shows it none', () => {
    expect(told('parallel', file(), joins())).toEqual([at(1)]);
    expect(told(undefined, file(), joins())).toEqual([]);
    expect(told('sequential', joins(), file())).toEqual([at(0)]);
    expect(told('planned', joins(), file())).toEqual([]);
    expect(told('dependency', file(), joins())).toEqual([at(1)]);
    expect(told('dependency', file(), joins({ depends_on: ['1_file'] }))).toEqual([]);
  });

  it('warns of a check without the tool whose text it checks', () => {
    expect(told('sequential', file(), checks())).toEqual([]);
    expect(told('sequential', { plugin: 'simple_rag' }, checks())).toEqual([at(1)]);
    expect(told('sequential', file({ enabled: false }), checks())).toEqual([at(1)]);
    expect(told('sequential', { plugin: 'simple_rag' }, checks({ enabled: false }))).toEqual([]);
  });

  it('lets a check of the finished answer see every tool, in parallel as well', () => {
    const later = joins({ config: { needs: true, checks: 'answer' } });
    expect(told('parallel', later, file())).toEqual([]);
    expect(told('parallel', later)).toEqual([at(0)]);
  });
});

describe('checking conditions and fallbacks', () => {
  const rag = (number: number, more: object = {}) => ({
    plugin: 'simple_rag',
    placeholder: `${number}_context`,
    ...more,
  });
  const when = (rule: unknown) => ({ when: rule });
  const ok = (placeholder: string) => ({ var: `results.${placeholder}.ok` });

  it('refuses conditions that cannot be evaluated, with the place in them', () => {
    const bad = multiTool(rag(1, when('later')), rag(2, when({ and: [true, { log: 1 }] })), rag(3, when(false)));
    expect(found(checkTools(bad, rules))).toEqual([
      ['metadata.tools[0].when', 'condition.invalid'],
      ['metadata.tools[1].when.and[1]', 'condition.invalid'],
    ]);
  });

  it('points at results that no tool gives, and at those that are not there yet', () => {
    const tools = [
      rag(1, when({ and: [ok('2_context'), ok('9_context')] })),
      rag(2, { ...when(ok('1_context')), depends_on: ['3_context'] }),
      rag(3, { depends_on: ['1_context'] }),
    ];
    const check = (orchestrator: string) => found(checkTools({ ...multiTool(...tools), orchestrator }, rules));
    const unknown = ['metadata.tools[0].when.and[1].var', 'dependency.unknown'];
    const unseen = ['metadata.tools[0].when.and[0].var', 'condition.unseen'];
    expect(check('conditional')).toEqual([unseen, unknown]);
    expect(check('dependency')).toEqual([unseen, unknown]);
    expect(check('parallel')).toEqual([unknown]);
    const alone = { ...multiTool(rag(1), rag(2, when(ok('1_context')))), orchestrator: 'dependency' };
    expect(checkTools(alone, rules)).toMatchObject([{ code: 'condition.unseen', severity: 'warning' }]);
  });

  it('checks the whole fallback', () => {
    const bad = multiTool(
      rag(1, { fallback: { plugin: 'no_rag', condition: 'sometimes', threshold: 2 } }),
      rag(2, { fallback: { condition: 'on_error' }, on_dependency_failure: 'wait' }),
      rag(3, { fallback: { plugin: 'simple_rag', config: { checks: 'answer', top_k: 99 } } }),
      rag(4, { fallback: { plugin: 'rubric', config: {}, condition: 'on_low_confidence', threshold: 0 } }),
    );
    expect(found(checkTools(bad, rules))).toEqual([
      ['metadata.tools[0].fallback.condition', 'tool.invalid'],
      ['metadata.tools[0].fallback.threshold', 'tool.invalid'],
      ['metadata.tools[1].on_dependency_failure', 'tool.invalid'],
      ['metadata.tools[1].fallback.plugin', 'tool.invalid'],
      ['metadata.tools[2].fallback.config.top_k', 'tool.config_invalid'],
      ['metadata.tools[2].fallback', 'tool.invalid'],
    ]);
  });
});

describe('checking a template', () => {
  const tools = multiTool(
    { plugin: 'simple_rag', placeholder: '1_context' },
    { plugin: 'rubric_rag', placeholder: '2_rubric', enabled: false },
    { plugin: 'single_file_rag', placeholder: '3_file' },
  );

  it('points at slots that nothing fills in UTF-16 units', () => {
    const text = '😀{1_context}{2_rubric}{9_context}{x}';
    const { diagnostics, placeholders } = template(text, tools);
    expect(diagnostics.map(({ code, path, range, severity }) => [severity, code, path, range])).toEqual([
      ['warning', 'template.no_user_input', 'template', undefined],
      ['warning', 'placeholder.undefined', 'template', { start: 13, end: 23 }],
      ['warning', 'placeholder.undefined', 'template', { start: 23, end: 34 }],
      ['warning', 'placeholder.unused', 'metadata.tools[2].placeholder', undefined],
    ]);
    expect(text.slice(13, 23)).toBe('{2_rubric}');
    expect(placeholders).toEqual([
      { name: '1_context', state: 'used', tool_index: 0 },
      { name: '2_rubric', state: 'undefined', tool_index: 1 },
      { name: '9_context', state: 'undefined' },
      { name: 'user_input', state: 'unused' },
      { name: '3_file', state: 'unused', tool_index: 2 },
    ]);
  });

  it('has nothing to say about a template that fits', () => {
    expect(template('{1_context}{3_file}{user_input} \\frac{a}{b}', tools).diagnostics).toEqual([]);
  });

  it('knows that nothing of a tool that looks at the answer reaches it', () => {
    const later = multiTool({ plugin: 'simple_rag', placeholder: '1_context', config: { checks: 'answer' } });
    expect(found(template('{user_input}', later).diagnostics)).toEqual([]);
    expect(template('{user_input}{1_context}', later).diagnostics).toMatchObject([
      { code: 'placeholder.undefined', message: '{1_context} stays empty: its tool looks at the finished answer' },
    ]);
  });

  it('does not miss a slot for content that another tool works into its own', () => {
    const search = { plugin: 'simple_rag', placeholder: '1_context' };
    const reader = { plugin: 'rubric_rag', placeholder: '2_rubric', config: { needs: true } };
    const text = '{user_input}{2_rubric}';
    const missed = [['metadata.tools[0].placeholder', 'placeholder.unused']];
    expect(found(template(text, multiTool(search, reader)).diagnostics)).toEqual([]);
    expect(found(template(text, multiTool(search, { ...reader, enabled: false })).diagnostics)).toContainEqual(
      missed[0],
    );
    const parallel = { ...multiTool(search, reader), orchestrator: 'parallel' };
    expect(found(template(text, parallel).diagnostics)).toEqual(missed);
  });

  it('judges a version 2 template by its own unnumbered names', () => {
    const v2 = { _format_version: 2, tools: [{ type: 'simple_rag' }, { type: 'simple_rag', enabled: false }] };
    const { diagnostics, placeholders } = template('{context}{user_input}{rubric}', v2);
    expect(diagnostics.map(({ code, range }) => [code, range])).toEqual([
      ['placeholder.undefined', { start: 21, end: 29 }],
    ]);
    expect(placeholders[0]).toEqual({ name: 'context', state: 'used', tool_index: 0 });
  });

  it('knows that classic templates have one context, filled by the RAG processor', () => {
    expect(found(template('{context}{user_input}{1_context}', { rag_processor: 'simple_rag' }).diagnostics)).toEqual(
      [],
    );
    expect(found(template('{user_input}', { rag_processor: 'simple_rag' }).diagnostics)).toEqual([
      ['metadata.rag_processor', 'placeholder.unused'],
    ]);
  });

  it('does not warn of {context} in a classic template without retrieval', () => {
    for (const metadata of [{ rag_processor: 'no_rag' }, { rag_processor: 'No RAG' }, {}]) {
      const { diagnostics, placeholders } = template('{context}{user_input}', metadata);
      expect(diagnostics).toEqual([]);
      expect(placeholders).toContainEqual({ name: 'context', state: 'used' });
      expect(template('{user_input}', metadata).placeholders).toEqual([{ name: 'user_input', state: 'used' }]);
    }
  });

  it('says nothing of the question when there is no template', () => {
    expect(found(template('', multiTool()).diagnostics)).toEqual([]);
  });

  it('reports each of 1,000 undefined slots with its range', () => {
    const text = Array.from({ length: 1000 }, (_, index) => `{${index + 1}_context}`).join('') + '{user_input}';
    const { diagnostics } = template(text, multiTool());
    expect(diagnostics).toHaveLength(1000);
    for (const { range } of diagnostics) expect(text.slice(range?.start, range?.end)).toMatch(/^\{\d+_context\}$/);
  });
});
