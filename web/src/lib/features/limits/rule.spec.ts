import { describe, expect, it } from 'vitest';
import { formOf, newId, NEW_RULE, type Rule, ruleOf } from './rule';

const RULES: readonly Rule[] = [
  { id: 'a', for: { kind: 'person' }, limit: 'tokens', amount: 50_000, per: 'day' },
  { id: 'b', for: { kind: 'group', id: 'g1' }, limit: 'cost', amount: 12.5, per: 'term', at_end: 'fast_model' },
  { id: 'c', for: { kind: 'organization' }, limit: 'runs', amount: 20, at_end: 'teachers_only', locked: true },
  { id: 'd', for: { kind: 'person' }, limit: 'storage', amount: 500_000_000 },
];

describe('a rule in its form', () => {
  it.each(RULES)('$id comes back as it was', (rule) => expect(ruleOf(formOf(rule), rule.id)).toEqual(rule));

  it('counts storage in megabytes', () => expect(formOf(RULES[3] as Rule).amount).toBe(500));

  it('drops choices that the limit does not have', () => {
    const form = { ...NEW_RULE, kind: 'assistant' as const, subject: '7', ending: 'fast_model' as const };
    expect(ruleOf({ ...form, limit: 'storage' }, 'x')).toEqual({
      id: 'x',
      for: { kind: 'organization' },
      limit: 'storage',
      amount: 50_000 * 1_000_000,
    });
    expect(ruleOf({ ...form, limit: 'streams' }, 'x')).toEqual({
      id: 'x',
      for: { kind: 'assistant', id: '7' },
      limit: 'streams',
      amount: 50_000,
    });
  });
});

describe('newId', () => {
  it('says what the rule limits, and differs from the ids that are there', () => {
    expect(newId(NEW_RULE, [])).toBe('tokens-person-day');
    const rule = ruleOf(NEW_RULE, 'tokens-person-day');
    expect(newId(NEW_RULE, [rule])).toBe('tokens-person-day-2');
    expect(newId({ ...NEW_RULE, limit: 'runs' }, [rule])).toBe('runs-person');
  });
});
