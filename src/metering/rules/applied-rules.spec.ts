import type { Caller } from '../../kernel';
import type { LimitRule } from '../../organizations';
import { appliedRules, personKey } from './applied-rules';
import { LimitReached } from './limit-reached';

const NOW = new Date('2026-11-23T12:00:00Z');
const caller = { userId: 'u', kind: 'api_key', credentialId: 'k' } as Caller;
const run = { caller, assistantId: 7, stream: false, nested: false, groupIds: () => Promise.resolve(['g', 'h']) };
const rule = (kind: LimitRule['for']['kind'], more: Partial<LimitRule> = {}): LimitRule => ({
  id: 'r',
  for: { kind },
  limit: 'tokens',
  amount: 10,
  per: 'day',
  ...more,
});
const subjects = async (rules: readonly LimitRule[], more: Partial<typeof run> = {}): Promise<readonly string[]> =>
  (await appliedRules({ rules }, { ...run, ...more }, NOW)).map(({ subject }) => subject);

describe('the subjects of a rule', () => {
  it('are the run’s own, each group once', async () => {
    const kinds = ['organization', 'group', 'person', 'key', 'assistant'] as const;
    expect(await subjects(kinds.map((kind) => rule(kind)))).toEqual([
      ...['organization', 'group/g', 'group/h', 'person/u', 'key/k', 'assistant/7'],
    ]);
  });

  it('leave out others, sessions without a key, and work of no person', async () => {
    const named = (kind: LimitRule['for']['kind'], id: string) => rule(kind, { for: { kind, id } });
    expect(await subjects([named('person', 'u'), named('person', 'v'), named('group', 'h')])).toEqual([
      ...['person/u', 'group/h'],
    ]);
    expect(await subjects([rule('key')], { caller: { ...caller, kind: 'session' } })).toEqual([]);
  });

  it('count an end user behind a key as a person, without storing the name', async () => {
    const endUser = { source: 'metadata.email', id: 'ada@example.edu' } as const;
    const [subject] = await subjects([rule('person')], { caller: { ...caller, endUser } });
    expect(subject).toBe(`person/${personKey({ ...caller, endUser })}`);
    expect(subject).toMatch(/^person\/u\/[0-9a-f]{16}$/);
  });

  it('of nested runs have tokens and cost only; plain answers take no stream', async () => {
    const limits = ['requests', 'runs', 'streams', 'tokens', 'cost', 'storage'] as const;
    const rules = limits.map((limit) => rule('person', { limit, id: limit }));
    const ids = async (more: Partial<typeof run>) =>
      (await appliedRules({ rules }, { ...run, ...more }, NOW)).map(({ rule: { id } }) => id);
    expect(await ids({ nested: true })).toEqual(['tokens', 'cost']);
    expect(await ids({})).toEqual(['requests', 'runs', 'tokens', 'cost']);
    expect(await ids({ stream: true })).toEqual(['requests', 'runs', 'streams', 'tokens', 'cost']);
  });

  it('survive an array of rules that was stored before there were rules', async () => {
    expect(await appliedRules({ rules: { old: 1 } as never }, run, NOW)).toEqual([]);
  });
});

describe('a rule that is used up', () => {
  it('names itself, its amount and when it begins again', async () => {
    const [applied] = await appliedRules({ rules: [rule('person', { id: 'student-day', amount: 50_000 })] }, run, NOW);
    if (applied === undefined) throw new Error('the rule applies');
    const error = new LimitReached(applied);
    expect(error.code).toBe('quota_exceeded');
    expect(error.detail).toBe(
      'The limit "student-day" is reached: 50000 tokens per day for each person. Ask again from 2026-11-24T00:00:00.000Z on',
    );
  });

  it('asks to wait for a place where there is no window', async () => {
    const [applied] = await appliedRules(
      { rules: [rule('key', { limit: 'runs', per: undefined as never })] },
      run,
      NOW,
    );
    if (applied === undefined) throw new Error('the rule applies');
    expect(new LimitReached(applied)).toMatchObject({ code: 'rate_limited', retryAfter: 5 });
  });
});
