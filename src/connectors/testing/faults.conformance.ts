import type { ErrorCode } from '@bellwether/kernel';
import type { ConformanceDriver } from './conformance-driver';
import { CANARY, PARTIAL_TEXT, TRICKY_TEXT, type VendorFault } from './scripted-vendor.types';

interface Row {
  readonly fault: VendorFault;
  readonly code: ErrorCode;
  /** How often the vendor is asked. */
  readonly tries: number;
}

/** Before the first byte of the answer: the same end for plain and streamed calls. */
const AT_ONCE: readonly Row[] = [
  { fault: 'unauthorized', code: 'upstream_auth', tries: 1 },
  { fault: 'bad-request', code: 'upstream_rejected', tries: 1 },
  { fault: 'not-found', code: 'upstream_rejected', tries: 1 },
  { fault: 'rate-limited', code: 'upstream_rate_limited', tries: 3 },
  { fault: 'server-error', code: 'upstream_error', tries: 3 },
  { fault: 'html-bad-gateway', code: 'upstream_error', tries: 3 },
  { fault: 'reset', code: 'upstream_error', tries: 3 },
  { fault: 'no-answer', code: 'upstream_timeout', tries: 1 },
  { fault: 'html', code: 'upstream_bad_response', tries: 1 },
  { fault: 'empty-object', code: 'upstream_bad_response', tries: 1 },
];
const STREAM_AT_ONCE: readonly Row[] = [
  { fault: 'stall-after-headers', code: 'upstream_timeout', tries: 1 },
  { fault: 'endless-line', code: 'upstream_bad_response', tries: 1 },
];
const MIDWAY: readonly Row[] = [
  { fault: 'stall-mid-stream', code: 'upstream_timeout', tries: 1 },
  { fault: 'cut-mid-stream', code: 'upstream_truncated', tries: 1 },
  { fault: 'end-without-finish', code: 'upstream_truncated', tries: 1 },
  { fault: 'malformed-event', code: 'upstream_truncated', tries: 1 },
  { fault: 'error-object-mid-stream', code: 'upstream_error', tries: 1 },
];

/** Refusals say what to change, so the vendor's words are shown with them; nothing else shows any. */
const QUOTED: readonly ErrorCode[] = ['upstream_rejected'];

/** A vendor that fails, whatever its words for it: an error with our code, never text of a chat. */
export function describeFaults(driver: ConformanceDriver): void {
  const { vendor } = driver;

  it.each(AT_ONCE)('$fault ends as $code', async ({ fault, code, tries }) => {
    vendor.fails(fault, tries);
    const error = await driver.failure();
    expect(error.code).toBe(code);
    if (!QUOTED.includes(code)) expect(error.detail).not.toContain(CANARY);
    expect(vendor.questions()).toHaveLength(tries);
  });

  it.each([...AT_ONCE, ...STREAM_AT_ONCE])('$fault ends a stream as $code', async ({ fault, code, tries }) => {
    vendor.fails(fault, tries);
    const { chunks, error } = await driver.stream();
    expect([chunks, error?.code]).toEqual([[], code]);
    if (!QUOTED.includes(code)) expect(error?.detail).not.toContain(CANARY);
    expect(vendor.questions()).toHaveLength(tries);
  });

  it.each(MIDWAY)('$fault keeps what was said and ends as $code, asked once', async ({ fault, code, tries }) => {
    vendor.fails(fault, tries);
    const { text, finishReason, error } = await driver.stream();
    expect({ text, finishReason, code: error?.code }).toEqual({ text: PARTIAL_TEXT, finishReason: null, code });
    expect(error?.detail).not.toContain(CANARY);
    expect(vendor.questions()).toHaveLength(tries);
  });

  it('reads an answer that comes byte by byte', async () => {
    vendor.fails('byte-by-byte');
    await expect(driver.stream()).resolves.toMatchObject({ text: TRICKY_TEXT, finishReason: 'stop', error: null });
  });

  it.each(['gzip', 'br', 'deflate'] as const)('reads an answer that is compressed (%s)', async (coding) => {
    vendor.answers({ content: TRICKY_TEXT, coding }, 2);
    await expect(driver.complete()).resolves.toMatchObject({ text: TRICKY_TEXT });
    await expect(driver.stream()).resolves.toMatchObject({ text: TRICKY_TEXT, finishReason: 'stop', error: null });
  });

  it('reads a whole answer to a request for a stream', async () => {
    vendor.answers({ content: TRICKY_TEXT, otherFraming: true });
    await expect(driver.stream()).resolves.toMatchObject({ text: TRICKY_TEXT, finishReason: 'stop', error: null });
  });

  it('reads a stream that answers a request for a whole answer', async () => {
    vendor.answers({ content: TRICKY_TEXT, otherFraming: true });
    await expect(driver.complete()).resolves.toMatchObject({ text: TRICKY_TEXT, finishReason: 'stop' });
  });

  it('leaves thoughts in the text to nobody who reads the answer', async () => {
    vendor.answers({ content: '<think>It may be 41.</think>\nIt is 42.' }, 2);
    await expect(driver.complete()).resolves.toMatchObject({ text: 'It is 42.' });
    await expect(driver.stream()).resolves.toMatchObject({ text: 'It is 42.' });
  });

  it('waits for thoughts that nothing opens after two such answers in a row, in one organization, until another comes', async () => {
    const [unopened, plain] = ['It may be 41.\n</think>\nIt is 42.', 'Models write `</think>` at the end.'];
    const said = async (content: string, organizationId: string) => {
      vendor.answers({ content });
      return (await driver.stream(driver.request(), undefined, organizationId)).text;
    };
    for (const content of [unopened, plain, unopened, unopened]) expect(await said(content, 'b')).toBe(content);
    expect(await said(unopened, 'b')).toBe('It is 42.');
    expect(await said(unopened, 'c')).toBe(unopened);
    expect(await said('No thoughts.', 'b')).toBe('No thoughts.');
    expect(await said(unopened, 'b')).toBe(unopened);
  });

  it('asks again after a failure that may pass', async () => {
    vendor.fails('server-error');
    vendor.answers({ content: 'Because.' });
    await expect(driver.complete()).resolves.toMatchObject({ text: 'Because.' });
    vendor.fails('reset');
    vendor.answers({ content: 'Because.' });
    await expect(driver.stream()).resolves.toMatchObject({ text: 'Because.', error: null });
  });

  it('hangs up on the vendor when the caller leaves before or within the answer', async () => {
    const abort = new AbortController();
    vendor.fails('no-answer');
    const plain = driver.failure(driver.request(), abort.signal);
    setTimeout(() => abort.abort(), 50);
    await expect(plain).resolves.toMatchObject({ code: 'cancelled' });
    await vendor.hungUp();

    const later = new AbortController();
    vendor.fails('stall-mid-stream');
    const chunks = driver.open(driver.request(), later.signal);
    await chunks.next();
    later.abort();
    const rest = (async () => {
      while ((await chunks.next()).done !== true);
    })();
    await expect(rest).rejects.toMatchObject({ code: 'cancelled' });
    await vendor.hungUp();
  });
}
