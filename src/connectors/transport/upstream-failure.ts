import { AppError, type ErrorCode, isJsonObject, type VendorFailure } from '@bellwether/kernel';
import { CONNECTION_LOSS_CODES, outboundFailure } from '../../infrastructure/outbound';
import type { CallDeadline } from './call-deadline';

/** Longest part of a vendor's own words that is passed on, in characters. */
const MAX_REASON = 300;

/** Shapes of credentials and of account ids; each pattern is linear. */
const SECRET_SHAPES: readonly RegExp[] = [
  /\b(?:Bearer|Basic)\s+[\w.~+/=*-]+/gi,
  /\b(?:sk|pk|rk|bw|gsk|xai|hf|ghp|glpat|org|proj|key)[-_][\w*.-]{6,}/gi,
  /\bAIza[\w-]{10,}/g,
  /\beyJ[\w-]+\.[\w.-]+/g,
  /\b[a-z][a-z0-9+.-]*:\/\/\S+/gi,
  /[\w+/=-]{40,}/g,
];

const REDACTED = '[redacted]';

/**
 * A vendor's explanation made fit for a client: one line, cut, without the secrets of this call (by value) and without
 * anything that looks like a credential, an account id or an address (by shape).
 */
export function sanitiseReason(reason: string, secrets: readonly (string | null)[]): string {
  let text = reason;
  for (const secret of secrets) if (secret !== null && secret !== '') text = text.replaceAll(secret, REDACTED);
  // Cut before matching too, so that no text of the vendor's makes this slow.
  text = text.slice(0, MAX_REASON * 4);
  for (const shape of SECRET_SHAPES) text = text.replace(shape, REDACTED);
  return text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON)
    .toWellFormed();
}

/** A failed try: the error for the caller, and whether a retry may help. */
export class UpstreamFailure extends Error {
  constructor(
    readonly error: AppError,
    readonly retryable: boolean,
    /** The vendor's `Retry-After`, in milliseconds. */
    readonly retryAfterMs: number | null = null,
    /** HTTP status of the vendor's answer; null when there was none. */
    readonly status: number | null = null,
  ) {
    super(error.detail, { cause: error });
    this.name = 'UpstreamFailure';
  }
}

const MESSAGES = {
  upstream_auth: 'The model vendor refused the credentials that this organization configured',
  upstream_rate_limited: 'The model vendor limits requests at the moment',
  upstream_rejected: 'The model vendor rejected the request',
  upstream_error: 'The model vendor failed',
} as const satisfies Partial<Record<ErrorCode, string>>;

type VendorCode = keyof typeof MESSAGES;

const RETRIED_STATUS = (status: number): boolean => status === 408 || status === 409 || status === 429 || status >= 500;

function codeOfStatus(status: number): VendorCode {
  if (status === 401 || status === 403) return 'upstream_auth';
  if (status === 429) return 'upstream_rate_limited';
  return status >= 400 && status < 500 && status !== 408 && status !== 409 ? 'upstream_rejected' : 'upstream_error';
}

interface RefusedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Maps a status other than 2xx. Only a rejection carries the vendor's words, sanitised: they say what to change. */
export function failureOfStatus(response: RefusedResponse, secrets: readonly (string | null)[]): UpstreamFailure {
  // Google answers 400 for a wrong key.
  const code = response.text.includes('API_KEY_INVALID') ? 'upstream_auth' : codeOfStatus(response.status);
  const wish = retryAfterMs(response.headers, Date.now()) ?? retryInfoMs(response.text);
  const vendor = vendorErrorOf(response.text);
  const request_id = requestIdOf(response.headers, secrets);
  const error = new AppError(code, messageFor(code, vendor.reason, secrets), {
    ...retryAfterOption(code, wish),
    vendor: { status: response.status, message: wordsOf(vendor.reason, secrets), request_id, retries: 0 },
  });
  // An exhausted quota is reported as 429 and does not come back by waiting.
  const retryable = RETRIED_STATUS(response.status) && vendor.code !== 'insufficient_quota';
  return new UpstreamFailure(error, retryable, wish, response.status);
}

/**
 * An `error` that arrives inside an answer with status 200. A numeric code counts as a status. A failure that may pass is
 * tried again, unless a part of the answer is out.
 */
export function errorInAnswer(payload: unknown, secrets: readonly (string | null)[]): UpstreamFailure {
  const vendor = vendorErrorIn(payload);
  const words = `${vendor.code} ${vendor.type}`;
  const status = /^[45]\d\d$/.test(vendor.code) ? Number(vendor.code) : null;
  const byType = CODES_BY_TYPE.find(([pattern]) => pattern.test(words))?.[1];
  const code = byType ?? (status === null ? 'upstream_error' : codeOfStatus(status));
  const told = { status: 200, message: wordsOf(vendor.reason, secrets), request_id: null, retries: 0 };
  const error = new AppError(code, messageFor(code, vendor.reason, secrets), { vendor: told });
  const mayPass = status === null ? PASSING_TYPE.test(words) : RETRIED_STATUS(status);
  return new UpstreamFailure(error, mayPass && !words.includes('insufficient_quota'), null, 200);
}

/** The failure that the last of `tries` tries ended with. */
export function finalError({ error, status }: UpstreamFailure, tries: number): AppError {
  if (!error.code.startsWith('upstream_')) return error;
  const vendor: VendorFailure = {
    message: null,
    request_id: null,
    ...error.vendor,
    status: status ?? error.vendor?.status ?? null,
    retries: tries - 1,
  };
  const retryAfter = error.retryAfter === undefined ? {} : { retryAfter: error.retryAfter };
  return new AppError(error.code, error.detail, { ...retryAfter, vendor, cause: error.cause });
}

function wordsOf(reason: string | null, secrets: readonly (string | null)[]): string | null {
  const words = reason === null ? '' : sanitiseReason(reason, secrets);
  return words === '' ? null : words;
}

/** OpenAI says `x-request-id`, Anthropic `request-id`. */
function requestIdOf(headers: RefusedResponse['headers'], secrets: readonly (string | null)[]): string | null {
  const id = headers['x-request-id'] ?? headers['request-id'];
  return typeof id === 'string' && /^[\w.:-]{1,100}$/.test(id) && !secrets.includes(id) ? id : null;
}

const PASSING_TYPE = /rate_limit|too_many|overloaded|server_error|internal|unavailable|timeout/i;

const CODES_BY_TYPE: readonly (readonly [RegExp, VendorCode])[] = [
  [/rate_limit|quota|too_many/, 'upstream_rate_limited'],
  [/api_key|authentication|permission/, 'upstream_auth'],
  [/invalid_request|context_length|content_filter|content_policy|model_not_found/, 'upstream_rejected'],
];

function messageFor(code: VendorCode, reason: string | null, secrets: readonly (string | null)[]): string {
  const said = code === 'upstream_rejected' && reason !== null ? sanitiseReason(reason, secrets) : '';
  return said === '' ? MESSAGES[code] : `${MESSAGES[code]}: ${said}`;
}

const retryAfterOption = (code: VendorCode, wish: number | null): { retryAfter?: number } =>
  code === 'upstream_rate_limited' && wish !== null ? { retryAfter: Math.ceil(wish / 1000) } : {};

interface VendorError {
  readonly reason: string | null;
  readonly code: string;
  readonly type: string;
}

function vendorErrorOf(text: string): VendorError {
  try {
    return vendorErrorIn(JSON.parse(text));
  } catch {
    return { reason: titleOf(text), code: '', type: '' };
  }
}

/** Title of a web page, which a proxy or a wrong address sends instead of JSON. */
const titleOf = (text: string): string | null => /<title[^>]{0,100}>([^<]{1,300})</i.exec(text)?.[1]?.trim() ?? null;

/** A success without JSON: the address belongs to something else than the vendor's API. */
export function noJson(status: number, text: string, cause: unknown): AppError {
  const vendor = { status, message: wordsOf(titleOf(text), []), request_id: null, retries: 0 };
  return new AppError('upstream_bad_response', 'The model vendor sent no JSON', { vendor, cause });
}

/** Reads OpenAI's `{error: {message, type, code}}`, Ollama's `{error: text}` and FastAPI's `{detail}`. */
function vendorErrorIn(payload: unknown): VendorError {
  const outer = isJsonObject(payload) ? payload : {};
  const error = isJsonObject(outer['error']) ? outer['error'] : outer;
  const reasons = [error['message'], outer['error'], outer['detail'], outer['message']];
  const reason = reasons.find((candidate) => typeof candidate === 'string');
  const word = (value: unknown): string =>
    typeof value === 'string' || Number.isSafeInteger(value) ? String(value) : '';
  return { reason: reason ?? null, code: word(error['code']), type: word(error['type']) };
}

/** `Retry-After` (RFC 9110 §10.2.3: seconds or a date) or the SDKs' `retry-after-ms`; null when absent or senseless. */
export function retryAfterMs(headers: RefusedResponse['headers'], now: number): number | null {
  const ms = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const written = headers['retry-after'];
  if (typeof written !== 'string' || written.trim() === '') return null;
  const seconds = Number(written);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : null;
  const date = Date.parse(written);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** Google sends the wait in the body (google.rpc.RetryInfo, a JSON duration). */
function retryInfoMs(text: string): number | null {
  const seconds = /"retryDelay"\s*:\s*"(\d{1,7}(?:\.\d{1,9})?)s"/.exec(text)?.[1];
  return seconds === undefined ? null : Math.ceil(Number(seconds) * 1000);
}

/** Maps a broken connection or an expired deadline. */
export function failureOfTransport(error: unknown, deadline: CallDeadline): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  const mapped = outboundFailure(error, { cancelled: deadline.cancelled, timedOut: deadline.timedOut });
  const over = deadline.cancelled || deadline.timedOut || error instanceof AppError;
  return new UpstreamFailure(mapped, !over && mapped.code !== 'outbound_refused' && isConnectionLoss(error));
}

/** Loss of a connection by its code, not by class: errors of Node's own modules may come from another realm. */
const isConnectionLoss = (error: unknown): boolean =>
  CONNECTION_LOSS_CODES.includes((error as NodeJS.ErrnoException | null)?.code ?? '');
