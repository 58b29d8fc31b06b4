import type { Caller } from '@bellwether/kernel';
import type { LimitRule } from '../organizations';
import { LimitReached, appliedRules, hasRunRules, personKey, secondsUntil } from './applied-rules';

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

  it('are the account for a rule about one account, whoever is behind it', async () => {
    const endUser = { source: 'metadata.email', id: 'ada@example.edu' } as const;
    const behind = { ...caller, endUser };
    expect(await subjects([rule('person', { for: { kind: 'person', id: 'u' } })], { caller: behind })).toEqual([
      'person/u',
    ]);
    const other = { ...caller, endUser: { ...endUser, id: 'bob@example.edu' } };
    expect(personKey(behind)).not.toBe(personKey(other));
    expect(personKey(behind)).not.toBe(personKey({ ...caller, endUser: { ...endUser, source: 'metadata.user_id' } }));
  });

  it('of work of no person are those of the organization, and of a draft no assistant', async () => {
    const kinds = ['organization', 'person', 'key', 'assistant'] as const;
    const rules = kinds.map((kind) => rule(kind));
    expect(await subjects(rules, { caller: null as never, assistantId: null as never })).toEqual(['organization']);
  });

  it('count money in millionths, and a term only while it lasts', async () => {
    const amounts = async (limit: LimitRule['limit']) =>
      (await appliedRules({ rules: [rule('person', { limit, amount: 1.5 })] }, run, NOW)).map(({ amount }) => amount);
    expect(await amounts('cost')).toEqual([1_500_000]);
    expect(await amounts('tokens')).toEqual([1.5]);
    const rules = [rule('person', { per: 'term' })];
    const terms = [{ name: 'Autumn', from: '2026-09-01', to: '2026-11-23' }];
    expect(await appliedRules({ rules, terms }, run, NOW)).toMatchObject([{ end: new Date('2026-11-24T00:00:00Z') }]);
    expect(await appliedRules({ rules, terms: [] }, run, NOW)).toEqual([]);
    expect(await appliedRules({ rules }, run, NOW)).toEqual([]);
  });

  it('matter to a run unless every rule is about storage', () => {
    expect(hasRunRules({ rules: [] })).toBe(false);
    expect(hasRunRules({ rules: [rule('person', { limit: 'storage' })] })).toBe(false);
    expect(hasRunRules({ rules: [rule('person', { limit: 'storage' }), rule('person')] })).toBe(true);
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

  const reached = async (more: Partial<LimitRule>, kind: LimitRule['for']['kind'] = 'person') => {
    const [applied] = await appliedRules({ rules: [rule(kind, more)] }, { ...run, stream: true }, NOW);
    if (applied === undefined) throw new Error('the rule applies');
    return new LimitReached(applied);
  };

  it.each<[Partial<LimitRule>, LimitRule['for']['kind'], string]>([
    [{ limit: 'requests' }, 'organization', '10 questions per day for the organization.'],
    [{ limit: 'cost' }, 'group', '10 currency units per day for each group.'],
    [{ limit: 'runs', per: undefined }, 'key', '10 answers at the same time for each API key.'],
    [{ limit: 'streams', per: undefined }, 'person', '10 streamed answers at the same time for each person.'],
    [{ limit: 'tokens', per: 'minute' }, 'assistant', '10 tokens per minute for each assistant.'],
    [{ for: { kind: 'person', id: 'u' } }, 'person', '10 tokens per day for this person.'],
  ])('is told in words: %j of %s', async (more, kind, words) =>
    expect((await reached(more, kind)).detail).toContain(`The limit "r" is reached: ${words} Ask again `),
  );

  it('is a rate by the minute or by place, and a quota by longer windows, which say when they begin again', async () => {
    expect(await reached({ per: 'minute' })).toMatchObject({ code: 'rate_limited', reason: undefined });
    const byPlace = await reached({ limit: 'runs', per: undefined });
    expect(byPlace).toMatchObject({ code: 'rate_limited', rateLimit: { limit: 10, remaining: 0, resetSeconds: 5 } });
    expect(byPlace.detail).toMatch(/Ask again when another answer has ended$/);
    for (const per of ['day', 'month'] as const)
      expect(await reached({ per })).toMatchObject({ code: 'quota_exceeded', reason: 'limit.reached' });
  });

  it('is waited for in whole seconds, at least one', () => {
    jest.useFakeTimers({ now: NOW });
    const after = (ms: number) => secondsUntil(new Date(NOW.getTime() + ms));
    expect([-1, 0, 1, 1_000, 1_001, 90_000].map(after)).toEqual([1, 1, 1, 1, 2, 90]);
    jest.useRealTimers();
  });
});
