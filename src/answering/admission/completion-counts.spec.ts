import type { Caller } from '../../kernel';
import type { Config } from '../../platform/config';
import { CompletionCounts } from './completion-counts';

const LIMITS = { person: 3, organization: 5 };
const countsOf = (): CompletionCounts => new CompletionCounts({ runs: { completions: LIMITS } } as Config);
const caller = (userId: string, role: Caller['role'] = 'member', endUser?: string): Caller =>
  ({ userId, role, organizationId: 'o', ...(endUser === undefined ? {} : { endUser: { id: endUser } }) }) as Caller;

const TOO_MANY = expect.objectContaining({ code: 'too_many_requests', retryAfter: 5 }) as Error;

describe('completions at once', () => {
  it('are few for one person, and one more when one has ended', () => {
    const counts = countsOf();
    const [leave] = Array.from({ length: LIMITS.person }, () => counts.enter(caller('ada')));
    expect(() => counts.enter(caller('ada'))).toThrow(TOO_MANY);
    leave?.();
    leave?.();
    counts.enter(caller('ada'));
    expect(() => counts.enter(caller('ada'))).toThrow(TOO_MANY);
    counts.enter(caller('bob'));
  });

  it('are counted by the end user that a gateway names, and by the organization where it names nobody', () => {
    const counts = countsOf();
    for (let n = 0; n < LIMITS.person; n++) counts.enter(caller('gateway', 'teacher', 'ada'));
    expect(() => counts.enter(caller('gateway', 'teacher', 'ada'))).toThrow(TOO_MANY);
    for (let n = LIMITS.person; n < LIMITS.organization; n++) counts.enter(caller('gateway', 'teacher'));
    expect(() => counts.enter(caller('gateway', 'teacher'))).toThrow(TOO_MANY);
    expect(() => counts.enter(caller('bob'))).toThrow(TOO_MANY);
    expect(counts.of('o')).toBe(LIMITS.organization);
  });
});
