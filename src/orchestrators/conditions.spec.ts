import type { Caller, ChatMessage } from '@bellwether/kernel';
import fc from 'fast-check';
import { entries, jobOf } from './testing/scripted-job';
import { checkCondition, compileCondition, Conditions } from './conditions';
import { cpuTimeOf } from '../../test/support/cpu-time';

const nested = (depth: number, inner: unknown): unknown => (depth === 0 ? inner : { '!': nested(depth - 1, inner) });

describe('a condition', () => {
  it.each([
    true,
    false,
    { in: ['exam', { var: 'user_input' }] },
    { '>': [{ var: 'user_input.length' }, 10] },
    { '>=': [{ var: ['results.1_context.confidence', 0] }, 0.5] },
    { some: [{ var: 'messages' }, { '==': [{ var: 'role' }, 'assistant'] }] },
    { in: ['teacher', { var: 'caller.roles' }] },
    { if: [{ var: 'metadata.course' }, true, false] },
    { all: [{ filter: [{ var: 'messages' }, { var: 'content' }] }, { '<': [1, { var: 'content.length' }, 100] }] },
    { map: [{ var: 'messages' }, { var: '' }] },
  ])('may be %j', (rule) => {
    expect(checkCondition(rule).problems).toEqual([]);
  });

  it.each([
    [7, '', /JSON Logic/],
    ['yes', '', /JSON Logic/],
    [[true], '', /JSON Logic/],
    [{}, '', /one operator/],
    [{ '!': { a: 1, b: 2 } }, '!', /one operator/],
    [{ log: 1 }, '', /no operator "log"/],
    [{ and: [true, { method: [{ var: 'user_input' }, 'at', [0]] }] }, 'and[1]', /no operator "method"/],
    [{ reduce: [{ var: 'messages' }, 1, 0] }, '', /no operator/],
    [{ cat: ['a', 'b'] }, '', /no operator/],
    [{ constructor: [1] }, '', /no operator/],
    [{ '==': [1] }, '==', /takes 2 arguments/],
    [{ '!': [] }, '!', /takes 1 argument$/],
    [{ var: 'process' }, 'var', /must be user_input/],
    [{ var: '' }, 'var', /must be user_input/],
    [{ var: 'caller.userId' }, 'var', /must be user_input/],
    [{ var: 'results.1_context.content' }, 'var', /must be user_input/],
    [{ var: { var: 'user_input' } }, 'var', /must name a value/],
    [{ var: 0 }, 'var', /must name a value/],
    [{ some: [{ var: 'messages' }, { some: [[1], true] }] }, 'some[1].some', /another operation over a list/],
    [{ '==': ['x'.repeat(1001), 1] }, '==[0]', /1000 characters/],
    [nested(12, true), '!.!.!.!.!.!.!.!.!.!.!.!', /deeper than 12/],
    [{ in: [1, Array.from({ length: 200 }, () => 1)] }, '', /more than 200 parts/],
  ])('is refused: %j', (rule, path, message) => {
    expect(checkCondition(rule).problems[0]).toEqual({ path, message: expect.stringMatching(message) });
  });

  it('tells which results it looks at', () => {
    const rule = { or: [{ var: 'results.1_context.ok' }, { '<': [{ var: ['results.2_file.chars', 0] }, 9] }] };
    expect(checkCondition(rule).results).toEqual([
      { path: 'or[0].var', placeholder: '1_context' },
      { path: 'or[1].<[0].var[0]', placeholder: '2_file' },
    ]);
  });
});

describe('evaluating', () => {
  const messages: ChatMessage[] = [
    { role: 'user', content: 'one' },
    { role: 'assistant', content: [{ type: 'text', text: 'two' }] },
    { role: 'user', content: 'Is there an exam?' },
  ];
  const request = {
    ...jobOf({ messages, metadata: { course: 'bio', __proto__: null, deep: { level: [1, 2] } } }),
    question: 'Is there an exam?',
  };
  const met = (when: unknown, more: object = {}): boolean => {
    const conditions = new Conditions({ request: { ...request, ...more }, emit: () => undefined });
    const [tool] = entries({ when });
    if (tool === undefined) throw new Error('no tool');
    return conditions.reasonAgainst(compileCondition(tool), []) === null;
  };

  it.each([
    { in: ['exam', { var: 'user_input' }] },
    { '==': [{ var: 'messages.length' }, 3] },
    { '==': [{ var: 'messages.1.content' }, 'two'] },
    { some: [{ var: 'messages' }, { '==': [{ var: 'role' }, 'assistant'] }] },
    { '==': [{ var: 'metadata.course' }, 'bio'] },
    { '==': [{ var: 'metadata.deep.level.1' }, 2] },
    { in: ['member', { var: 'caller.roles' }] },
    { '===': [{ var: ['metadata.gone', 'otherwise'] }, 'otherwise'] },
    { '===': [{ var: 'results.1_context.ok' }, null] },
    true,
  ])('finds %j met', (rule) => {
    expect(met(rule)).toBe(true);
  });

  it('follows own properties only', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'deep.constructor', 'course.at', 'deep.level.concat']) {
      expect(met({ '===': [{ var: `metadata.${name}` }, null] })).toBe(true);
    }
    expect(met({ some: [{ var: 'messages' }, { var: 'constructor' }] })).toBe(false);
  });

  it('knows a system administrator by that name', () => {
    const caller: Caller = { ...request.caller, systemAdmin: true };
    expect(met({ in: ['system_admin', { var: 'caller.roles' }] }, { caller })).toBe(true);
  });

  it('never throws, whatever the rule', () => {
    fc.assert(fc.property(fc.jsonValue(), (rule) => typeof met(rule) === 'boolean'));
    const operators = ['var', 'if', 'and', '==', '<', 'in', 'substr', '+', 'min', 'map', 'some', '!'];
    const { rule } = fc.letrec((tie) => ({
      rule: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<unknown>(1, 'a', null, true, [], 'user_input', 'metadata.deep'),
        fc
          .tuple(fc.constantFrom(...operators), fc.array(tie('rule'), { maxLength: 3 }))
          .map(([op, args]) => ({ [op]: args })),
      ),
    }));
    fc.assert(
      fc.property(rule, (given) => typeof met(given) === 'boolean'),
      { numRuns: 300 },
    );
  });
});

describe('conditions that are made to take long', () => {
  const many = (when: unknown) => entries(...Array.from({ length: 100 }, () => ({ when })));
  const texts = (text: string): ChatMessage[] =>
    Array.from({ length: 200 }, (_, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: text }));
  const run = (when: unknown, about: Parameters<typeof jobOf>[0]) => {
    const job = jobOf(about);
    const last = about.messages?.at(-1)?.content;
    const question = typeof last === 'string' ? last : '';
    const conditions = new Conditions({ request: { ...job, question }, emit: job.emit });
    let reasons: ReturnType<typeof conditions.reasonAgainst>[] = [];
    const ms = cpuTimeOf(
      () => (reasons = many(when).map((tool) => conditions.reasonAgainst(compileCondition(tool), []))),
    );
    return { reasons, told: job.told(), ms };
  };
  const long = 'a'.repeat(100_000);
  const bad = `${'a'.repeat(499)}b${'a'.repeat(500)}`;
  const times = (count: number, part: unknown) => Array.from({ length: count }, () => part);
  const sought = (text: unknown, name: string) => ({ or: times(50, { in: [text, { var: name }] }) });

  it.each<[string, unknown, Parameters<typeof jobOf>[0]]>([
    ['20 MB of messages', { some: [{ var: 'messages' }, sought('aaaab', 'content')] }, { messages: texts(long) }],
    ['a text that is slow to find', sought(bad, 'user_input'), { messages: texts(long) }],
    [
      'the question again and again',
      { some: [times(40, { var: 'user_input' }), sought(bad, '')] },
      { messages: texts(long) },
    ],
    [
      'metadata of many texts',
      { some: [{ var: 'metadata.l' }, sought('aaaab', '')] },
      { metadata: { l: times(200, long) } },
    ],
    [
      'metadata of many values',
      { some: [{ var: 'metadata.l' }, { or: times(49, { '!': { '!': { '!': true } } }) }] },
      { metadata: { l: times(20_000, 1) } },
    ],
    [
      'one text in another',
      { in: [{ var: 'messages.198.content' }, { var: 'user_input' }] },
      { messages: texts(`${long}b`) },
    ],
    [
      'numbers of many digits',
      { '<': [{ '+': times(49, { var: 'user_input' }) }, 1] },
      { messages: texts('1'.repeat(100_000)) },
    ],
  ])('end soon for a hundred tools: %s', (_what, when, about) => {
    expect(checkCondition(when).problems).toEqual([]);
    expect(run(when, about).ms).toBeLessThan(1_500);
  });

  it('are looked at no further once the run has had its time, and say so', () => {
    const { reasons, told } = run(sought(bad, 'user_input'), { messages: texts(long) });
    expect(reasons).toEqual(times(100, 'its condition failed'));
    expect(told.at(-1)).toBe('The condition of 100_context failed: the conditions of this run have taken too long');
  });

  it('see the newest messages first, and as much of metadata as there is room for', () => {
    const messages: ChatMessage[] = [
      { role: 'system', content: 'old' },
      { role: 'assistant', content: long },
      { role: 'user', content: 'new' },
    ];
    const metadata = { first: 'here', text: long, flag: true, list: times(2_000, 0), last: 'gone' };
    const seen = (name: string, value: unknown) =>
      run({ '===': [{ var: name }, value] }, { messages, metadata }).reasons[0] === null;
    expect(seen('messages.2.content', 'new')).toBe(true);
    expect(seen('messages.1.content.length', 99_997)).toBe(true);
    expect([seen('messages.0.role', 'system'), seen('messages.0.content', '')]).toEqual([true, true]);
    expect([seen('metadata.first', 'here'), seen('metadata.flag', true)]).toEqual([true, true]);
    expect([seen('metadata.text.length', 19_996), seen('metadata.last', null)]).toEqual([true, true]);
  });
});
