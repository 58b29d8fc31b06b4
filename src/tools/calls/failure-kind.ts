import { AppError, type ErrorCode } from '../../kernel';
import { ToolFailure } from '../contract';

/** Codes of Node and undici for connections that were not made or broke. */
const NETWORK_CODES: ReadonlySet<unknown> = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOTFOUND',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

const PASSING: ReadonlySet<ErrorCode> = new Set([
  'upstream_rate_limited',
  'upstream_error',
  'upstream_timeout',
  'upstream_truncated',
  'too_many_requests',
  'unavailable',
]);

/** Limit for chains of `cause`, which may be cyclic. */
const MAX_CAUSES = 3;

/** Whether a failure is transient, and whether the server caused it. */
export interface FailureKind {
  /** The same call may succeed a moment later. */
  readonly retryable: boolean;
  /** Milliseconds that the other side asked us to wait; null when it did not. */
  readonly retryAfterMs: number | null;
  /** State of the server. `unknown` for failures of the call alone and of our own services. */
  readonly health: 'bad' | 'good' | 'unknown';
}

const FINAL: FailureKind = { retryable: false, retryAfterMs: null, health: 'unknown' };
const ANSWERED: FailureKind = { ...FINAL, health: 'good' };
const BROKEN: FailureKind = { ...FINAL, health: 'bad' };

/** Reads anything that can be thrown, hostile proxies included; never throws itself. */
export function kindOf(error: unknown): FailureKind {
  try {
    if (error instanceof ToolFailure) return kindOfToolFailure(error);
    if (error instanceof AppError) return kindOfAppError(error);
    return isPassing(error, 0) ? passing(null) : FINAL;
  } catch {
    return FINAL;
  }
}

const passing = (retryAfterMs: number | null): FailureKind => ({ retryable: true, retryAfterMs, health: 'bad' });

function kindOfToolFailure({ code, options }: ToolFailure): FailureKind {
  const retryable = options.retryable ?? code === 'tool.timeout';
  return retryable ? passing(options.retryAfterMs ?? null) : FINAL;
}

function kindOfAppError({ code, retryAfter }: AppError): FailureKind {
  if (code === 'upstream_bad_response') return BROKEN;
  if (code === 'upstream_rejected' || code === 'upstream_auth') return ANSWERED;
  if (!PASSING.has(code)) return FINAL;
  const kind = passing(retryAfter === undefined ? null : retryAfter * 1_000);
  // Our own database or storage failed, which says nothing about the tool's target: its circuit must not open.
  return code === 'unavailable' ? { ...kind, health: 'unknown' } : kind;
}

/** A broken connection, a request that timed out, or an HTTP status after which trying again makes sense. */
function isPassing(error: unknown, depth: number): boolean {
  if (typeof error !== 'object' || error === null || depth > MAX_CAUSES) return false;
  const { code, name, status, statusCode, cause } = error as Record<string, unknown>;
  if (NETWORK_CODES.has(code) || name === 'TimeoutError') return true;
  const answered = status ?? statusCode;
  if (typeof answered === 'number') return [408, 409, 429].includes(answered) || (answered >= 500 && answered < 600);
  return isPassing(cause, depth + 1);
}
