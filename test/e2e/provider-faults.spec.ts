import { startApp, type ApiAnswer, type TestApp } from '../support/app';
import { makeAssistant, makeMember, streamed, user, type SseAnswer } from '../support/chat';
import { startUpstream, type Upstream } from '../support/upstream';
import { PARTIAL_TEXT, TRICKY_TEXT, UPSTREAM_CANARY, type FaultName } from '../support/upstream-faults';

const SECRET = 'sk-CANARY-provider-faults-1';

interface Row {
  readonly fault: FaultName;
  readonly code: string;
  /** Status of a plain answer; absent where only a stream can fail so. */
  readonly status?: number;
  /** Text that a stream hands over before it fails. */
  readonly text?: string;
}

/** The fault table, as clients see it. Stalls have their test beside the connector, with shorter limits. */
const ROWS: readonly Row[] = [
  { fault: 'unauthorized', status: 502, code: 'upstream_auth' },
  { fault: 'forbidden', status: 502, code: 'upstream_auth' },
  { fault: 'bad-request', status: 400, code: 'upstream_rejected' },
  { fault: 'unprocessable', status: 400, code: 'upstream_rejected' },
  { fault: 'not-found', status: 400, code: 'upstream_rejected' },
  { fault: 'rate-limited', status: 429, code: 'upstream_rate_limited' },
  { fault: 'server-error', status: 502, code: 'upstream_error' },
  { fault: 'html-bad-gateway', status: 502, code: 'upstream_error' },
  { fault: 'reset', status: 502, code: 'upstream_error' },
  { fault: 'html', status: 502, code: 'upstream_bad_response' },
  { fault: 'empty-object', status: 502, code: 'upstream_bad_response' },
  { fault: 'no-choices', status: 502, code: 'upstream_bad_response' },
  { fault: 'error-object', status: 502, code: 'upstream_error' },
  { fault: 'cut-mid-stream', code: 'upstream_truncated', text: PARTIAL_TEXT },
  { fault: 'end-without-finish', code: 'upstream_truncated', text: PARTIAL_TEXT },
  { fault: 'done-without-finish', code: 'upstream_truncated', text: PARTIAL_TEXT },
  { fault: 'malformed-event', code: 'upstream_truncated', text: PARTIAL_TEXT },
  { fault: 'error-object-mid-stream', code: 'upstream_error', text: PARTIAL_TEXT },
  { fault: 'error-event-mid-stream', code: 'upstream_error', text: PARTIAL_TEXT },
];
const PLAIN_ROWS = ROWS.filter(({ status }) => status !== undefined);
const HARMLESS = ['byte-by-byte', 'crlf', 'comments'] as const;

describe('a model vendor that misbehaves', () => {
  let app: TestApp;
  let upstream: Upstream;
  const plain = new Map<string, ApiAnswer>();
  const streams = new Map<string, SseAnswer>();

  /** Every row is its own model, so that all run at once and the waits between tries are paid once. */
  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: SECRET } });
    const names = [...ROWS.map(({ fault }) => fault), ...HARMLESS];
    const bodies = new Map<string, object>();
    for (const fault of names) {
      upstream.forModel(fault, { fault, message: `${UPSTREAM_CANARY} at http://10.0.0.9 for ${SECRET}` });
      const id = await makeAssistant(app, { name: fault, metadata: { llm: fault } });
      bodies.set(fault, { model: `lamb_assistant.${id}`, messages: [user('Why?')] });
    }
    await Promise.all(
      [...bodies].map(async ([fault, body]) => {
        streams.set(fault, await streamed(app, '/v1/chat/completions', body));
        plain.set(fault, await app.api('POST', '/v1/chat/completions', body));
      }),
    );
  }, 60_000);
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
  });

  it.each(PLAIN_ROWS)('$fault: a plain answer of $status $code in OpenAI’s error shape', ({ fault, status, code }) => {
    const answer = plain.get(fault);
    expect(answer?.status).toBe(status);
    expect(answer?.json).toEqual({
      error: { message: expect.any(String), type: expect.any(String), param: null, code },
    });
    expect(answer?.headers.get('x-run-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each(ROWS)('$fault: a stream that ends with an error frame, keeping “$text”', ({ fault, code, text = '' }) => {
    const answer = streams.get(fault);
    expect(answer).toMatchObject({ status: 200, text, named: 0 });
    expect(answer?.chunks.at(-1)).toMatchObject({ error: { code, message: expect.any(String) } });
    expect(answer?.data).not.toContain('[DONE]');
    expect(JSON.stringify(answer?.chunks)).not.toMatch(/"finish_reason":"/);
  });

  it.each(ROWS)('$fault: a run that failed as $code', async ({ fault, code }) => {
    const run = await app.api('GET', `/api/v1/runs/${streams.get(fault)?.headers.get('x-run-id')}`);
    expect(run.json).toMatchObject({ status: 'failed', error_code: code });
  });

  it('tells editors the vendor’s status, words and request id, and who only asks nothing of it', async () => {
    const student = await makeMember(app, 'member', ['chat', 'read']);
    const id = await makeAssistant(app, { name: 'Shared', metadata: { llm: 'server-error' } });
    const shares = [{ email: student.email, access: 'use' }];
    await app.api('PUT', `/api/v1/assistants/${id}/shares`, { shares });
    const body = { model: `lamb_assistant.${id}`, messages: [user('Why?')] };
    const asked = await app.api('POST', '/v1/chat/completions', body, student.headers);
    const runId = asked.headers.get('x-run-id');
    const { json } = await app.api('GET', `/api/v1/runs/${runId}`);
    expect(json.request_id).toBe(asked.headers.get('x-request-id'));
    expect(json.vendor_failure).toMatchObject({
      status: 500,
      message: expect.stringContaining(UPSTREAM_CANARY),
      retries: 2,
    });
    expect(JSON.stringify(json.vendor_failure)).not.toMatch(/CANARY-provider|10\.0\.0\.9/);
    const report = (await app.api('GET', `/api/v1/runs/${runId}/report`)).json;
    expect(report.vendor_failure).toEqual(json.vendor_failure);
    for (const path of ['', '/report']) {
      const seen = await app.api('GET', `/api/v1/runs/${runId}${path}`, undefined, student.headers);
      expect(seen.status).toBe(200);
      expect(seen.text).not.toContain('vendor_failure');
      expect(seen.text).not.toContain(UPSTREAM_CANARY);
    }
    const line = app
      .log()
      .split('\n')
      .find((text) => text.includes('model vendor failed') && text.includes(String(runId)));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      run_id: runId,
      assistant_id: id,
      connector: 'openai',
      model: 'server-error',
      code: 'upstream_error',
      status: 500,
      retries: 2,
    });
  });

  it.each(HARMLESS)('%s: the whole answer', (fault) => {
    const answer = streams.get(fault);
    expect(answer).toMatchObject({ text: TRICKY_TEXT });
    expect(answer?.data.at(-1)).toBe('[DONE]');
  });

  it('shows the vendor’s words only where they say what to change, and never a secret or an address', () => {
    for (const { fault, code } of ROWS) {
      const said = `${plain.get(fault)?.text} ${streams.get(fault)?.data.join(' ')}`;
      expect(said).not.toMatch(/CANARY|10\.0\.0\.9/);
      if (code !== 'upstream_rejected') expect(said).not.toContain(UPSTREAM_CANARY);
    }
    expect(plain.get('bad-request')?.json.error.message).toContain(UPSTREAM_CANARY);
  });

  it('leaves neither in the log', () => expect(app.log()).not.toMatch(/CANARY-provider|upstream-internal-detail/));
});
