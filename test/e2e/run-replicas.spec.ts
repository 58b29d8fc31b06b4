import { randomBytes } from 'node:crypto';
import { RunsService } from '../../src/runs';
import { startApp, type TestApp } from '../support/app';
import { eventually, makeAssistant, streamed, user } from '../support/chat';
import { flawsOf, follow, readEvents } from '../support/run-events';
import { startUpstream, type Upstream } from '../support/upstream';

/** A hint takes milliseconds, looking a second; a busy machine may be late. */
const PATIENCE_MS = 5_000;

describe('two processes on one database', () => {
  let upstream: Upstream;
  /** Whoever is asked carries out the run, as long as it has room. */
  let here: TestApp;
  let there: TestApp;
  let id: number;

  beforeAll(async () => {
    upstream = await startUpstream();
    const env = {
      OPENAI_BASE_URL: upstream.url,
      OPENAI_API_KEY: 'sk-canary-runs-8',
      BOOTSTRAP_ADMIN_KEY: `bw_${'p'.repeat(40)}`,
      SECRETS_KEY: `test:${randomBytes(32).toString('hex')}`,
    };
    here = await startApp({ env });
    there = await startApp({ env, reset: false });
    id = await makeAssistant(here);
  });
  beforeEach(() => upstream.reset());
  afterAll(async () => {
    await Promise.all([here.stop(), there.stop()]);
    await upstream.stop();
  });

  const start = async (): Promise<string> =>
    (await here.api('POST', `/api/v1/assistants/${id}/runs`, { messages: [user('Hi')] })).json.id as string;
  const goesOnHere = (run: string) =>
    eventually(() => here.get(RunsService).activeCount > 0 && upstream.active > 0 && run, PATIENCE_MS);

  it('tell of a run with the same bytes, while it goes on and afterwards', async () => {
    upstream.expect({ content: 'word '.repeat(40), delayMs: 10 });
    const run = await start();
    const readers = await Promise.all([here, there, there].map((app) => follow(app, `${run}/events`)));
    await Promise.all(readers.map(({ ended }) => ended));
    const [first, ...others] = readers.map(({ frames }) => frames.map(({ raw }) => raw).join(''));
    expect(flawsOf(readers[0]?.frames ?? [])).toEqual([]);
    for (const other of others) expect(other).toBe(first);
    for (const app of [here, there]) {
      expect((await readEvents(app, `${run}/events`)).raw).toBe(first);
      expect((await app.api('GET', `/api/v1/runs/${run}`)).json).toMatchObject({
        status: 'completed',
        answer: 'word '.repeat(40),
      });
    }
  });

  it('end each other’s runs', async () => {
    upstream.expect({ content: 'word '.repeat(2_000), delayMs: 20 });
    const run = await start();
    await goesOnHere(run);
    const following = await follow(there, `${run}/events`);
    await eventually(() => following.frames.length > 0, PATIENCE_MS);
    const asked = performance.now();
    expect((await there.api('POST', `/api/v1/runs/${run}/cancel`)).status).toBe(202);
    expect(((await upstream.requests[0]?.closedEarly) ?? Infinity) - asked).toBeLessThan(PATIENCE_MS);
    await following.ended;
    expect(flawsOf(following.frames)).toEqual([]);
    expect(following.frames.at(-1)?.event).toBe('run.cancelled');
  });

  it('list, follow and end what another one answers with, once it has lasted a moment', async () => {
    upstream.expect({ content: 'word '.repeat(2_000), delayMs: 20 });
    const answer = streamed(here, '/v1/chat/completions', { model: `lamb_assistant.${id}`, messages: [user('Hi')] });
    const run = await eventually(
      async () => (await there.api('GET', '/api/v1/runs?status=running')).json.items[0]?.id as string | undefined,
      PATIENCE_MS,
    );
    const following = await follow(there, `${run}/events`);
    expect((await there.api('POST', `/api/v1/runs/${run}/cancel`)).status).toBe(202);
    expect((await answer).chunks.at(-1)).toMatchObject({ error: { code: 'cancelled' } });
    await following.ended;
    expect(flawsOf(following.frames)).toEqual([]);
    expect(following.frames.at(-1)?.event).toBe('run.cancelled');
  });
});
