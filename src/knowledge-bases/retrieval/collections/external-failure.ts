import { AppError, type ErrorCode } from '../../../kernel';
import type { OutboundResponse } from '../../../infrastructure/outbound';

/** 4xx statuses that a retry may fix. Every other 4xx is final and says nothing about the health of the server. */
const TRANSIENT_STATUS: ReadonlySet<number> = new Set([408, 425]);

const REASONS: Readonly<Record<number, string>> = { 401: 'the server refused its token', 404: 'no such collection' };

function codeOf(status: number): ErrorCode {
  if (status === 404) return 'not_found';
  if (status === 401 || status === 403) return 'upstream_auth';
  if (status === 429) return 'upstream_rate_limited';
  if (status >= 500 || TRANSIENT_STATUS.has(status)) return 'upstream_error';
  return status >= 400 ? 'upstream_rejected' : 'upstream_bad_response';
}

/** Error for a status other than 2xx. */
export function refusalOf(status: number, headers: OutboundResponse['headers']): AppError {
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  const retryAfter = Number.isFinite(seconds) && seconds >= 0 ? { retryAfter: seconds } : {};
  return new AppError(codeOf(status), REASONS[status] ?? `the server answered ${status}`, retryAfter);
}

export const noUsableAnswer = (cause?: unknown): AppError =>
  new AppError('upstream_bad_response', 'the server gave no usable answer', { cause });

/** The first of these codes stands for several failures. Transient ones come first. */
const PRECEDENCE: readonly ErrorCode[] = [
  'upstream_rate_limited',
  'upstream_timeout',
  'upstream_error',
  'upstream_bad_response',
  'upstream_auth',
  'upstream_rejected',
  'outbound_refused',
];

/** Error of a search in which every collection failed. */
export function failureOfAll(failures: readonly AppError[], detail: string): AppError {
  const code = PRECEDENCE.find((known) => failures.some((failure) => failure.code === known)) ?? 'not_found';
  const waits = failures.flatMap(({ retryAfter }) => retryAfter ?? []);
  return new AppError(code, detail, waits.length === 0 ? {} : { retryAfter: Math.max(...waits) });
}
