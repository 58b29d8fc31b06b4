import { StreamsInFlight } from '../../src/answering';
import { Admission } from '../../src/infrastructure/admission';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant, user } from '../support/chat';
import { foreignOrganization, person, type Person } from '../support/people';
import { until } from '../support/until';
import { startUpstream, type Upstream } from '../support/upstream';

const STUDENTS = 500;
const PLACES = 20;
const WAITING = 100;

interface OpenStream {
  readonly frames: () => number;
  readonly end: () => void;
}

describe('more questions than the process can answer', () => {
  let app: TestApp;
  let upstream: Upstream;
  let admission: Admission;
  let course: number;
  let elsewhere: Person;
  let other: number;
  /** They take all places. */
  let streams: OpenStream[];

  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({
      env: {
        OPENAI_BASE_URL: upstream.url,
        OPENAI_API_KEY: 'sk-canary-overload-1',
        RUN_COMPLETIONS: String(PLACES),
        RUN_COMPLETIONS_WAITING: String(WAITING),
        RUN_COMPLETIONS_WAIT: '30000',
      },
    });
    admission = app.get(Admission);
    course = await makeAssistant(app);
    const organization = await foreignOrganization(app);
    const providers = { openai: { base_url: upstream.url, api_key: 'sk-canary-overload-2' } };
    await app.api('PATCH', `/api/v1/organizations/${organization}`, { providers, limits: { weight: 2 } });
    elsewhere = await person(app, { organization });
    const definition = {
      name: 'Tutor',
      prompt_template: '{user_input}',
      metadata: { connector: 'openai', llm: 'gpt-4o-mini' },
    };
    other = (await elsewhere.api('POST', '/api/v1/assistants', definition)).json.id;
    upstream.expect({ content: 'word '.repeat(2_000), delayMs: 50 }, { times: PLACES });
    streams = await Promise.all(Array.from({ length: PLACES }, openStream));
  });
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
  });

  const post = (key: string, id: number, more: object, signal: AbortSignal | null = null): Promise<Response> =>
    fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      signal,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: `lamb_assistant.${id}`, messages: [user('What is osmosis?')], ...more }),
    });

  /** Counts the frames of a stream while they arrive. */
  async function openStream(): Promise<OpenStream> {
    const leaving = new AbortController();
    const response = await post(app.adminKey, course, { stream: true }, leaving.signal);
    let frames = 0;
    const reading = (async () => {
      for await (const _ of response.body ?? []) frames += 1;
    })().catch(() => undefined);
    await until(() => frames > 0);
    return { frames: () => frames, end: () => (leaving.abort(), void reading) };
  }

  it('a client that leaves while it waits frees its place in the queue', async () => {
    const leaving = new AbortController();
    const left = post(app.adminKey, course, {}, leaving.signal);
    await until(() => admission.waiting === 1);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await until(() => admission.waiting === 0);
  });

  it('a course of 500 that asks in the same second is served in turn or told when to return', async () => {
    const [stream, first, ...others] = streams;
    const framesBefore = stream?.frames() ?? 0;
    const ends: string[] = [];
    upstream.always({ content: 'Yes.' });
    const asked = Array.from({ length: STUDENTS }, async () => {
      const response = await post(app.adminKey, course, {});
      const body = (await response.json()) as { error?: { code: string; type: string } };
      ends.push('course');
      return { status: response.status, retryAfter: response.headers.get('retry-after'), body };
    });
    await until(() => ends.length === STUDENTS - WAITING);
    // Drops one question of the course, which has the most.
    const turn = post(elsewhere.key, other, {}).then(({ status }) => (ends.push('other'), status));
    await until(() => ends.length === STUDENTS - WAITING + 1);
    expect(admission.waiting).toBe(WAITING);
    first?.end();
    expect(await turn).toBe(200);
    // It arrived last and got the first free place.
    expect(ends.indexOf('other')).toBe(STUDENTS - WAITING + 1);
    for (const each of others) each.end();
    const answers = await Promise.all(asked);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(STUDENTS - WAITING + 1);
    for (const { status, retryAfter, body } of refused) {
      expect([status, body.error?.code, body.error?.type]).toEqual([503, 'overloaded', 'server_error']);
      expect(retryAfter).toMatch(/^[1-9]\d?$/);
    }
    // The stream went on, and no question reached the vendor twice.
    expect(stream?.frames()).toBeGreaterThan(framesBefore);
    expect(upstream.requests).toHaveLength(PLACES + WAITING);
    stream?.end();
    await until(() => admission.placesHeld() === 0 && app.get(StreamsInFlight).size === 0);
    expect(admission.waiting).toBe(0);
    upstream.verify();
  });

  it('the refusals have lines in the log, with the ids of requests and the number of those without a line', () => {
    const refusals = app
      .log()
      .split('\n')
      .filter((line) => line.includes('"overloaded"'))
      .map((line) => JSON.parse(line) as { msg: string; request_id: string; suppressed: number });
    expect(refusals.length).toBeGreaterThan(0);
    for (const refusal of refusals)
      expect(refusal).toMatchObject({ msg: 'request refused', request_id: expect.stringMatching(/./) as string });
    const told = refusals.reduce((sum, { suppressed }) => sum + 1 + suppressed, 0);
    expect(told).toBeLessThanOrEqual(STUDENTS - WAITING + 1);
  });
});
