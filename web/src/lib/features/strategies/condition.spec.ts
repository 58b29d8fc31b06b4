import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Condition, fromLogic, isComplete, newTest, ROLES, type Test, toLogic } from './condition';

const placeholder = fc.constantFrom('1_context', '2_rubric', '3_context', '10_tool_result');
const test: fc.Arbitrary<Test> = fc.oneof(
  fc.record({ kind: fc.constant('question' as const), is: fc.constantFrom('contains', 'lacks'), text: fc.string() }),
  fc.record({ kind: fc.constant('length' as const), is: fc.constantFrom('<', '>'), n: fc.nat() }),
  fc.record({
    kind: fc.constant('result' as const),
    placeholder,
    is: fc.constantFrom('ok', 'failed', 'found', 'empty'),
  }),
  fc.record({
    kind: fc.constant('confidence' as const),
    placeholder,
    is: fc.constantFrom('<', '>='),
    n: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({
    kind: fc.constant('role' as const),
    is: fc.constantFrom('has', 'lacks'),
    role: fc.constantFrom(...ROLES),
  }),
  fc.record({
    kind: fc.constant('metadata' as const),
    name: fc.stringMatching(/^[a-z_]{1,8}$/),
    is: fc.constantFrom('==', '!='),
    text: fc.string(),
  }),
) as fc.Arbitrary<Test>;
const condition: fc.Arbitrary<Condition> = fc
  .record({ join: fc.constantFrom('and', 'or'), tests: fc.array(test, { maxLength: 5 }) })
  .map(({ join, tests }) => ({ join: tests.length < 2 ? 'and' : join, tests }));

describe('conditions of tools', () => {
  it('are read again as they were written', () => {
    fc.assert(
      fc.property(condition, (written) => {
        expect(fromLogic(toLogic(written))).toEqual(written);
      }),
    );
  });

  it('are never changed by being shown: what comparisons cannot say stays JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (logic) => {
        const read = fromLogic(logic);
        if (read !== null) expect(toLogic(read)).toEqual(logic);
      }),
    );
  });

  it.each([
    [true],
    [{ and: [{ in: ['exam', { var: 'user_input' }] }] }],
    [{ '!': [{ var: 'results.1_context.ok' }] }],
    [{ or: [{ '!!': { var: 'results.1_context.ok' } }, { var: 'results.1_context.ok' }] }],
    [{ '==': [{ var: ['metadata.course', 1] }, 'x'] }],
    [{ '>': [{ var: 'results.1_context.chars' }, 5] }],
    [{ in: ['exam', { var: 'user_input' }], and: [] }],
  ])('leaves %j to the JSON editor', (logic) => {
    expect(fromLogic(logic)).toBeNull();
  });

  it('reads the example of the guide', () => {
    const logic = { and: [{ in: ['exam', { var: 'user_input' }] }, { '!': { var: 'results.1_context.ok' } }] };
    expect(fromLogic(logic)).toEqual({
      join: 'and',
      tests: [
        { kind: 'question', is: 'contains', text: 'exam' },
        { kind: 'result', placeholder: '1_context', is: 'failed' },
      ],
    });
  });
});

describe('a rule that compares with nothing', () => {
  it('is not complete: an empty text is in every question', () => {
    expect(isComplete(newTest('question', ''))).toBe(false);
    expect(isComplete({ kind: 'question', is: 'contains', text: 'leaf' })).toBe(true);
    expect(isComplete({ kind: 'metadata', name: '', is: '==', text: 'a' })).toBe(false);
    expect(isComplete(newTest('result', '1_context'))).toBe(true);
  });
});
