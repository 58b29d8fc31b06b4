import { DataSource } from 'typeorm';
import { UsageBuffer } from '../../src/metering';
import { LimitLeases } from '../../src/metering/limit-leases.service';
import { ask, call, calling, callWorld, type CallWorld, good, target } from '../support/assistant-calls';
import { publish } from '../support/call-decisions';
import { until } from '../support/until';

let world: CallWorld;
beforeAll(async () => {
  world = await callWorld();
});
afterAll(() => world.stop());

const rules = (...list: readonly object[]) =>
  good(world.app.api('PATCH', '/api/v1/organizations/default', { limits: { rules: list } }));
const none = { limit: 'tokens', amount: 0, per: 'day' };

describe('limits of assistants that others call', () => {
  it('end the call, and the calling run goes on; both are counted for themselves', async () => {
    const id = await target(world.owner);
    const caller = await calling(world.owner, id);
    await rules({ id: 'called', for: { kind: 'assistant', id: String(id) }, ...none });
    const refused = await ask(world, world.student, caller, { calls: [call(id)] });
    expect(refused).toMatchObject({ status: 200, answer: 'final', toTargets: [] });
    expect(refused.results).toEqual([expect.stringContaining('quota_exceeded')]);
    await rules({ id: 'places', for: { kind: 'person' }, limit: 'runs', amount: 1 });
    const allowed = await ask(world, world.student, caller, { calls: [call(id)] });
    expect(allowed.toTargets).toHaveLength(1);
    await world.app.get(UsageBuffer).flush();
    const days = await world.app
      .get(DataSource)
      .query('SELECT assistant_id, runs, model_calls FROM usage_days WHERE assistant_id = ANY($1) ORDER BY 1', [
        [id, caller],
      ]);
    expect(days).toEqual([
      { assistant_id: id, runs: 1, model_calls: 1 },
      { assistant_id: caller, runs: 2, model_calls: 4 },
    ]);
  });

  it('refuse a background run when it is asked for', async () => {
    const id = await target(world.owner);
    await publish(world.owner, id);
    await rules({ id: 'day', for: { kind: 'person' }, ...none });
    const start = () =>
      world.student.api('POST', `/api/v1/assistants/${id}/runs`, { messages: [{ role: 'user', content: '?' }] });
    const refused = await start();
    expect(refused.json).toMatchObject({ status: 429, code: 'quota_exceeded' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await rules({ id: 'day', for: { kind: 'person' }, ...none, amount: 100_000 });
    const { json } = await good(start());
    await until(async () => (await world.student.api('GET', `/api/v1/runs/${json.id}`)).json.status === 'completed');
    await world.app.get(LimitLeases).giveBack();
    const [counter] = await world.app
      .get(DataSource)
      .query('SELECT used::int, reserved::int FROM limit_counters WHERE rule_id = $1', ['day']);
    expect(counter).toEqual({ used: 15, reserved: 0 });
  });
});
