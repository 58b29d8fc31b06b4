import type { Caller } from '@bellwether/kernel';
import type { Config } from '../infrastructure/config';
import { MetricRegistry } from '../infrastructure/telemetry';
import { EventStreamCounts } from './run-event-streams.service';

const LIMITS = { person: 8, organization: 20, process: 200 };
const countsOf = (): EventStreamCounts =>
  new EventStreamCounts({ runs: { streams: LIMITS } } as Config, new MetricRegistry());

const caller = (userId: string, organizationId = 'o', endUser?: string): Caller =>
  ({ userId, organizationId, ...(endUser === undefined ? {} : { endUser: { id: endUser } }) }) as Caller;

const TOO_MANY = expect.objectContaining({ code: 'too_many_requests', retryAfter: 5 }) as Error;

describe('streams of events at once', () => {
  it('are few for one person, and again one more when one has ended', () => {
    const counts = countsOf();
    const leaves = Array.from({ length: LIMITS.person }, () => counts.enter(caller('ada')));
    expect(() => counts.enter(caller('ada'))).toThrow(TOO_MANY);
    counts.enter(caller('bob'));
    counts.enter(caller('ada', 'o', 'student'));
    leaves[0]?.();
    leaves[0]?.();
    counts.enter(caller('ada'));
    expect(() => counts.enter(caller('ada'))).toThrow(TOO_MANY);
  });

  it('have an end for one organization and for the process, and leave nothing behind', () => {
    const counts = countsOf();
    const leaves: (() => void)[] = [];
    const { organization, process } = LIMITS;
    for (let n = 0; n < organization; n++) leaves.push(counts.enter(caller(`u${n}`)));
    expect(() => counts.enter(caller('one-more'))).toThrow(TOO_MANY);
    for (let n = organization; n < process; n++) leaves.push(counts.enter(caller(`u${n}`, `o${n % 50}`)));
    expect(() => counts.enter(caller('one-more', 'elsewhere'))).toThrow(TOO_MANY);
    for (const leave of leaves) leave();
    expect(counts.size).toBe(0);
  });
});
