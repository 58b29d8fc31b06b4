import { type Asked, ask, call, type CallWorld, denials, good } from './assistant-calls';
import type { Person } from './people';

const ASSISTANTS = '/api/v1/assistants';
/** The only text that a model reads of a refusal. */
export const NEUTRAL = expect.stringMatching(/^[^a-z]*(error: )?tool_unavailable[^a-z0-9]*$/i) as unknown;

export type Maker = Pick<Person, 'api'>;
export const publish = (who: Maker, id: number) => good(who.api('PUT', `${ASSISTANTS}/${id}/publication`));
export const unpublish = (who: Maker, id: number) => good(who.api('DELETE', `${ASSISTANTS}/${id}/publication`));
export const share = (who: Maker, id: number, ...emails: string[]) =>
  good(who.api('PUT', `${ASSISTANTS}/${id}/shares`, { shares: emails.map((email) => ({ email })) }));
export const features = (who: Maker, slug: string, values: object) =>
  good(who.api('PATCH', `/api/v1/organizations/${slug}`, { features: values }));
/** Asserts decisions about calls between assistants. */
export function callDecisions(worldOf: () => CallWorld) {
  const member = (email: string, slug: string, changes: object) =>
    good(worldOf().app.api('PATCH', `/api/v1/organizations/${slug}/members/${email}`, changes));

  async function notOffered(caller: number): Promise<void> {
    const later = await ask(worldOf(), worldOf().student, caller);
    expect([later.status, later.offered]).toEqual([200, []]);
  }

  /** The assistant is offered and answers: the model reads its words. */
  async function allowed(caller: number, id: number, who: Maker = worldOf().student): Promise<Asked> {
    const asked = await ask(worldOf(), who, caller, { calls: [call(id)] });
    expect(asked).toMatchObject({ status: 200, answer: 'final', offered: [`call_assistant_${id}`] });
    expect(asked.results).toEqual([expect.stringContaining('the target says 42')]);
    return asked;
  }

  /** The call sees a change after the offer; the assistant is not offered again. */
  async function deniedOnce(
    caller: number,
    id: number,
    row: string,
    meanwhile: () => Promise<unknown>,
  ): Promise<Asked> {
    const asked = await ask(worldOf(), worldOf().student, caller, { calls: [call(id)], meanwhile });
    expect(asked).toMatchObject({ status: 200, answer: 'final', offered: [`call_assistant_${id}`], toTargets: [] });
    expect(asked.results).toEqual([NEUTRAL]);
    expect((await denials(worldOf()))[0]).toEqual({ row, target: String(id), run: asked.runId });
    await notOffered(caller);
    return asked;
  }

  return { allowed, deniedOnce, member, notOffered };
}
