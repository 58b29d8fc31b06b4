import { AppError } from '../../kernel';

interface Failure {
  readonly code?: unknown;
  readonly cause?: unknown;
  /** Of an AggregateError: one per address. */
  readonly errors?: readonly unknown[];
}

/** True for an error of the guarded connector, also a wrapped one. */
function isRefusal(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, cause, errors } = error as Failure;
  return code === 'ESSRF' || isRefusal(cause) || (Array.isArray(errors) && errors.some(isRefusal));
}

/** Converts errors of undici; messages never quote the transport. */
export function outboundFailure(error: unknown, state: { cancelled: boolean; timedOut: boolean }): AppError {
  if (error instanceof AppError) return error;
  if (state.cancelled) return new AppError('cancelled', 'The request was cancelled', { cause: error });
  if (isRefusal(error))
    return new AppError('outbound_refused', 'Connections to this host are not allowed', { cause: error });
  if (state.timedOut || TIMEOUTS.has((error as NodeJS.ErrnoException | null)?.code ?? '')) {
    return new AppError('upstream_timeout', 'The server did not answer in time', { cause: error });
  }
  if (UNREADABLE.test((error as NodeJS.ErrnoException | null)?.code ?? '')) {
    return new AppError('upstream_error', 'The compressed answer of the server is damaged', { cause: error });
  }
  return new AppError('upstream_error', 'The server could not be reached', { cause: error });
}

/** Codes of Node's zlib, for gzip and deflate and for brotli. */
const UNREADABLE = /^(?:Z_|ERR__ERROR_FORMAT|ERR_BROTLI)/;

const TIMEOUTS: ReadonlySet<string> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);
