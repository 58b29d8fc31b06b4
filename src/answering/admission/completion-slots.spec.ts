import type { Caller } from '@bellwether/kernel';
import { Admission, type ReleaseSlot } from '../../infrastructure/admission';
import type { Config } from '../../infrastructure/config';
import { MetricRegistry } from '../../infrastructure/telemetry';
import type { OrganizationsService } from '../../organizations';
import { CompletionSlots } from './completion-opening.service';

const PERSON = 3;
const PROCESS = 5;

function places() {
  const completions = { process: PROCESS, waiting: 10, waitMs: 1_000, person: PERSON };
  const config = { runs: { completions }, eventLoop: { delayLimitMs: 0 } } as unknown as Config;
  const admission = new Admission(config, new MetricRegistry(false));
  const organizations = { weight: () => Promise.resolve(1) } as unknown as OrganizationsService;
  return { admission, counts: new CompletionSlots(config, admission, organizations) };
}
const neverGone = (): AbortSignal => new AbortController().signal;

/** Enters `count` times. */
async function entered(counts: CompletionSlots, who: Caller, count: number): Promise<ReleaseSlot[]> {
  const leaves: ReleaseSlot[] = [];
  for (let n = 0; n < count; n++) leaves.push(await counts.enter(who, neverGone));
  return leaves;
}

const caller = (userId: string, role: Caller['role'] = 'member', endUser?: string): Caller =>
  ({ userId, role, organizationId: 'o', ...(endUser === undefined ? {} : { endUser: { id: endUser } }) }) as Caller;

const TOO_MANY = expect.objectContaining({ code: 'too_many_requests', retryAfter: 5 }) as Error;

describe('places for completions', () => {
  it('are few for one person, and one more when one has ended', async () => {
    const { counts, admission } = places();
    const [leave] = await entered(counts, caller('ada'), PERSON);
    expect(() => counts.enter(caller('ada'), neverGone)).toThrow(TOO_MANY);
    leave?.();
    leave?.();
    expect(admission.placesHeld('o')).toBe(PERSON - 1);
    void counts.enter(caller('ada'), neverGone);
    expect(() => counts.enter(caller('ada'), neverGone)).toThrow(TOO_MANY);
    void counts.enter(caller('bob'), neverGone);
  });

  it('are counted by the end user that a gateway names, and for nobody where it names none', () => {
    const { counts } = places();
    for (let n = 0; n < PERSON; n++) void counts.enter(caller('gateway', 'teacher', 'ada'), neverGone);
    expect(() => counts.enter(caller('gateway', 'teacher', 'ada'), neverGone)).toThrow(TOO_MANY);
    void counts.enter(caller('gateway', 'teacher'), neverGone);
  });

  it('are free again for a person who left while waiting', async () => {
    const { counts, admission } = places();
    const leaves = await entered(counts, caller('gateway', 'teacher'), PROCESS);
    const leaving = new AbortController();
    const waiting = counts.enter(caller('ada'), () => leaving.signal);
    leaving.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    for (const leave of leaves) leave();
    for (const leave of await entered(counts, caller('ada'), PERSON)) leave();
    expect([admission.placesHeld(), admission.waiting]).toEqual([0, 0]);
  });
});
