import type { ErrorCode } from '@bellwether/kernel';
import { OPENAI } from '../../src/connectors/catalog/openai';
import type { OutboundClient } from '../../src/infrastructure/outbound';
import { startUpstream, type Upstream } from '../support/upstream';
import { askFor, ConnectorCaller, outboundFor, QUICK_LIMITS, SECRET, targetAt } from '../support/upstream-caller';
import { until } from '../support/until';
import { FLOOD_CHUNKS, PARTIAL_TEXT, TRICKY_TEXT, UPSTREAM_CANARY, type FaultName } from '../support/upstream-faults';

interface Row {
  readonly fault: FaultName;
  readonly code: ErrorCode;
  /** How often the vendor is asked. */
  readonly calls: number;
}

/** Faults that show before the first byte: the same end for plain and streamed calls. */
const AT_ONCE: readonly Row[] = [
  { fault: 'unauthorized', code: 'upstream_auth', calls: 1 },
  { fault: 'forbidden', code: 'upstream_auth', calls: 1 },
  { fault: 'bad-request', code: 'upstream_rejected', calls: 1 },
  { fault: 'unprocessable', code: 'upstream_rejected', calls: 1 },
  { fault: 'not-found', code: 'upstream_rejected', calls: 1 },
  { fault: 'rate-limited', code: 'upstream_rate_limited', calls: 3 },
  { fault: 'quota-exhausted', code: 'upstream_rate_limited', calls: 1 },
  { fault: 'conflict', code: 'upstream_error', calls: 3 },
  { fault: 'request-timeout', code: 'upstream_error', calls: 3 },
  { fault: 'server-error', code: 'upstream_error', calls: 3 },
  { fault: 'html-bad-gateway', code: 'upstream_error', calls: 3 },
  { fault: 'reset', code: 'upstream_error', calls: 3 },
  { fault: 'no-answer', code: 'upstream_timeout', calls: 1 },
  { fault: 'error-object', code: 'upstream_error', calls: 3 },
  { fault: 'html', code: 'upstream_bad_response', calls: 1 },
  { fault: 'empty-object', code: 'upstream_bad_response', calls: 1 },
  { fault: 'no-choices', code: 'upstream_bad_response', calls: 1 },
];
const PLAIN_ONLY: readonly Row[] = [
  { fault: 'null-content', code: 'upstream_bad_response', calls: 1 },
  { fault: 'cut-body', code: 'upstream_error', calls: 3 },
];
const STREAM_AT_ONCE: readonly Row[] = [
  { fault: 'stall-after-headers', code: 'upstream_timeout', calls: 1 },
  { fault: 'endless-line', code: 'upstream_bad_response', calls: 1 },
];
const MIDWAY: readonly (readonly [FaultName, ErrorCode])[] = [
  ['stall-mid-stream', 'upstream_timeout'],
  ['cut-mid-stream', 'upstream_truncated'],
  ['end-without-finish', 'upstream_truncated'],
  ['done-without-finish', 'upstream_truncated'],
  ['malformed-event', 'upstream_truncated'],
  ['error-object-mid-stream', 'upstream_error'],
  ['error-event-mid-stream', 'upstream_error'],
];

/** Longer than a test may last: in a test with these limits something else must end the call. */
const PATIENT_LIMITS = {
  ...QUICK_LIMITS,
  firstByteMs: 300_000,
  idleMs: 300_000,
  streamTotalMs: 600_000,
  plainTotalMs: 600_000,
  maxWaitMs: 300_000,
};

const part = (text: string) => ({ type: 'text', text });
const wholeOf = (content: unknown) => ({
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
});

describe('a misbehaving vendor, seen through the openai connector', () => {
  let upstream: Upstream;
  let outbound: OutboundClient;
  let caller: ConnectorCaller;

  beforeAll(async () => {
    upstream = await startUpstream();
  });
  beforeEach(() => {
    upstream.reset();
    outbound = outboundFor();
    caller = new ConnectorCaller(OPENAI.connect({ outbound, limits: QUICK_LIMITS }));
  });
  afterEach(async () => {
    await outbound.onModuleDestroy();
    upstream.verify();
  });
  afterAll(() => upstream.stop());

  describe('plain', () => {
    it.each([...AT_ONCE, ...PLAIN_ONLY])(
      '$fault ends as $code after $calls call(s)',
      async ({ fault, code, calls }) => {
        upstream.expect({ fault }, { times: calls });
        const error = await caller.failure(targetAt(upstream.url));
        expect(error.code).toBe(code);
        if (code !== 'upstream_rejected') expect(error.detail).not.toContain(UPSTREAM_CANARY);
      },
    );

    it('answers a null content beside tool calls', async () => {
      upstream.expect({ content: null, toolCalls: [{ name: 'f', arguments: '{}' }] });
      const answer = await caller.complete(targetAt(upstream.url));
      expect(answer).toMatchObject({ text: '', finishReason: 'tool_calls' });
    });
  });

  describe('streamed', () => {
    it.each([...AT_ONCE, ...STREAM_AT_ONCE])(
      '$fault ends as $code after $calls call(s)',
      async ({ fault, code, calls }) => {
        upstream.expect({ fault }, { times: calls });
        const { error, chunks } = await caller.stream(targetAt(upstream.url));
        expect(error?.code).toBe(code);
        expect(chunks).toEqual([]);
      },
    );

    it.each(MIDWAY)('%s keeps the partial text and ends as %s, asked once', async (fault, code) => {
      upstream.expect({ fault });
      const outcome = await caller.stream(targetAt(upstream.url));
      expect(outcome).toMatchObject({ text: PARTIAL_TEXT, finishReason: null });
      expect(outcome.error?.code).toBe(code);
      expect(outcome.error?.detail).not.toContain(UPSTREAM_CANARY);
    });

    it.each(['byte-by-byte', 'crlf', 'comments'] as const)('%s is read without loss', async (fault) => {
      upstream.expect({ fault });
      const outcome = await caller.stream(targetAt(upstream.url));
      expect(outcome).toMatchObject({ text: TRICKY_TEXT, finishReason: 'stop', error: null });
      for (const { data } of outcome.chunks) expect(JSON.parse(data)).toHaveProperty('object', 'chat.completion.chunk');
    });

    it('an answer that goes on for longer than a stream may is ended, however lively it is', async () => {
      const limits = { ...PATIENT_LIMITS, streamTotalMs: 1_000 };
      const short = new ConnectorCaller(OPENAI.connect({ outbound, limits }));
      upstream.expect({ fault: 'endless-comments' });
      const outcome = await short.stream(targetAt(upstream.url));
      expect(outcome.error?.code).toBe('upstream_timeout');
      await expect(upstream.requests[0]?.closedEarly).resolves.toBeGreaterThanOrEqual(0);
    });

    it('an empty answer that says it is finished is an answer', async () => {
      upstream.expect({ fault: 'null-content' });
      const outcome = await caller.stream(targetAt(upstream.url));
      expect(outcome).toMatchObject({ text: '', finishReason: 'stop', error: null });
    });

    it('a flood of 200,000 chunks arrives whole', async () => {
      const patient = new ConnectorCaller(OPENAI.connect({ outbound, limits: PATIENT_LIMITS }));
      upstream.expect({ fault: 'flood' });
      const outcome = await patient.stream(targetAt(upstream.url));
      expect(outcome.text).toHaveLength(FLOOD_CHUNKS);
      expect(outcome.batches).toBeLessThan(FLOOD_CHUNKS / 10);
    }, 20_000);

    it('a reader that does not ask stops the vendor instead of filling memory', async () => {
      upstream.expect({ fault: 'flood' });
      const stream = caller.open(targetAt(upstream.url))[Symbol.asyncIterator]();
      await stream.next();
      const before = process.memoryUsage().rss;
      await new Promise((done) => setTimeout(done, 200));
      expect(upstream.active).toBe(1);
      expect(process.memoryUsage().rss - before).toBeLessThan(30_000_000);
      await stream.return?.();
      await expect(upstream.requests[0]?.closedEarly).resolves.toBeGreaterThan(0);
    });

    it('an answer longer than the cap is cut, and the vendor is told to stop', async () => {
      const short = new ConnectorCaller(
        OPENAI.connect({ outbound, limits: { ...QUICK_LIMITS, maxAnswerChars: 1_000 } }),
      );
      upstream.expect({ fault: 'flood' });
      const outcome = await short.stream(targetAt(upstream.url));
      expect(outcome.text).toHaveLength(1_000);
      expect(outcome.error?.code).toBe('upstream_truncated');
      await upstream.requests[0]?.closedEarly;
    });
  });

  describe('rate limits', () => {
    it('waits the second that the vendor asks for, three calls in all, then tells the client to wait as long', async () => {
      const patient = new ConnectorCaller(
        OPENAI.connect({ outbound, limits: { ...QUICK_LIMITS, plainTotalMs: 10_000 } }),
      );
      upstream.expect({ fault: 'rate-limited', retryAfter: 1 }, { times: 3 });
      const error = await patient.failure(targetAt(upstream.url));
      expect(error).toMatchObject({ code: 'upstream_rate_limited', retryAfter: 1 });
      const [first, , third] = upstream.requests;
      expect((third?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(1_900);
    });

    it.each([true, false])('gives up at once when the vendor asks for an hour (stream: %s)', async (streamed) => {
      upstream.expect({ fault: 'rate-limited', retryAfter: 3600 });
      const patient = new ConnectorCaller(OPENAI.connect({ outbound, limits: PATIENT_LIMITS }));
      const target = targetAt(upstream.url);
      const error = streamed ? (await patient.stream(target)).error : await patient.failure(target);
      expect(error).toMatchObject({ code: 'upstream_rate_limited', retryAfter: 3600 });
    });

    it('goes on when a later try succeeds', async () => {
      upstream.expect({ fault: 'server-error' }).expect({ fault: 'reset' }).expect({ content: 'At last.' });
      await expect(caller.stream(targetAt(upstream.url))).resolves.toMatchObject({ text: 'At last.', error: null });
    });
  });

  describe('an error with status 200', () => {
    const errorOf = (error: object) => ({ raw: JSON.stringify({ error }) });

    it.each([
      [{ message: 'Insufficient credits', code: 402 }, 'upstream_rejected', 1],
      [{ message: 'Slow down', code: 429 }, 'upstream_rate_limited', 3],
      [{ message: 'Down', code: '503' }, 'upstream_error', 3],
      [{ message: 'Overloaded', type: 'overloaded_error' }, 'upstream_error', 3],
      [{ message: 'No quota', code: 'insufficient_quota' }, 'upstream_rate_limited', 1],
      [{ message: 'Odd' }, 'upstream_error', 1],
    ])('%j is %s after %d call(s), plain and streamed', async (error, code, calls) => {
      upstream.expect(errorOf(error), { times: 2 * calls });
      expect((await caller.failure(targetAt(upstream.url))).code).toBe(code);
      const { error: streamed, chunks } = await caller.stream(targetAt(upstream.url));
      expect([streamed?.code, chunks]).toEqual([code, []]);
    });

    it('passes on the vendor’s words for a refusal', async () => {
      upstream.expect(errorOf({ message: 'Insufficient credits', code: 402 }));
      expect((await caller.failure(targetAt(upstream.url))).detail).toContain('Insufficient credits');
    });
  });

  it.each([
    ['a byte order mark', { raw: `\uFEFF${JSON.stringify(wholeOf('Par'))}` }, 'Par'],
    ['text parts in the middle of a word', { raw: JSON.stringify(wholeOf([part('Par'), part('is')])) }, 'Paris'],
  ])('reads a whole answer with %s', async (_, reply, text) => {
    upstream.expect(reply);
    await expect(caller.complete(targetAt(upstream.url))).resolves.toMatchObject({ text });
  });

  it('passes on why a request was rejected, without secrets', async () => {
    const message = `Context too long for ${SECRET}; see http://10.0.0.9/debug`;
    upstream.expect({ fault: 'bad-request', message });
    const error = await caller.failure(targetAt(upstream.url));
    expect(error.detail).toContain('Context too long');
    expect(error.detail).not.toMatch(/CANARY|10\.0\.0\.9/);
  });

  it('tries a vendor that is not there three times', async () => {
    const gone = await startUpstream();
    await gone.stop();
    await expect(caller.failure(targetAt(gone.url))).resolves.toMatchObject({ code: 'upstream_error' });
  });

  it('does not dial a private address for an organization’s own base URL', async () => {
    const before = upstream.connections;
    const target = targetAt(upstream.url, { trusted: false });
    await expect(caller.failure(target)).resolves.toMatchObject({ code: 'outbound_refused' });
    await expect(caller.stream(target)).resolves.toMatchObject({ error: { code: 'outbound_refused' } });
    expect(upstream.connections).toBe(before);
    expect(upstream.requests).toEqual([]);
  });

  describe('cancellation', () => {
    it.each(['no-answer', 'stall-after-headers', 'stall-mid-stream'] as const)(
      'reaches a vendor that hangs (%s) at once',
      async (fault) => {
        const patient = new ConnectorCaller(OPENAI.connect({ outbound, limits: PATIENT_LIMITS }));
        const abort = new AbortController();
        upstream.expect({ fault, check: () => setImmediate(() => abort.abort()) });
        const { error } = await patient.stream(targetAt(upstream.url), askFor(), abort.signal);
        expect(error?.code).toBe('cancelled');
        await upstream.requests[0]?.closedEarly;
      },
    );

    it('ends a wait between tries', async () => {
      const patient = new ConnectorCaller(OPENAI.connect({ outbound, limits: PATIENT_LIMITS }));
      const abort = new AbortController();
      upstream.expect({ fault: 'rate-limited', retryAfter: 120 });
      const failure = patient.failure(targetAt(upstream.url), askFor(), abort.signal);
      await until(() => upstream.answered === 1);
      abort.abort();
      expect((await failure).code).toBe('cancelled');
    });

    it('asks nobody when the caller is gone already', async () => {
      const signal = AbortSignal.abort();
      await expect(caller.failure(targetAt(upstream.url), askFor(), signal)).resolves.toMatchObject({
        code: 'cancelled',
      });
      expect(upstream.requests).toEqual([]);
    });
  });
});
