import { ExtractionError } from '../../extraction';
import { AppError, type ErrorCode } from '../../kernel';
import { isDatabaseUnavailable } from '../../platform/database';

/** What a failed document tells its owner, and programs. */
export interface IngestionFailure {
  readonly code: string;
  readonly message: string;
  /** Another try may succeed without anybody doing anything. */
  readonly transient: boolean;
  /** Tries of a document after which this is final all the same. */
  readonly tries?: number;
}

/** Codes of ours that a later try may not meet again. */
const PASSING: readonly ErrorCode[] = [
  'unavailable',
  'insufficient_storage',
  'too_many_requests',
  'upstream_rate_limited',
  'upstream_error',
  'upstream_timeout',
  'upstream_truncated',
  'upstream_bad_response',
  'server_shutdown',
];

export const CANCELLED = { status: 'failed', error: 'Cancelled', errorCode: 'document.cancelled' } as const;

/** Beyond this, a document that takes its process along each time would do so for ever. */
export const MAX_ATTEMPTS = 25;
export const TOO_OFTEN: IngestionFailure = {
  code: 'document.resource',
  message: 'Processing did not come to an end in many attempts; the document may be too large for this server',
  transient: false,
};

const isSystemError = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'syscall' in error && 'code' in error;

/** A busy machine may have been the reason, once. */
const TIMEOUT_TRIES = 2;

/** Never quotes an error that is not meant for people. */
export function describeFailure(error: unknown): IngestionFailure {
  if (error instanceof ExtractionError) {
    const { code, message } = error;
    return code === 'document.timeout'
      ? { code, message, transient: true, tries: TIMEOUT_TRIES }
      : { code, message, transient: false };
  }
  if (error instanceof AppError && error.code === 'not_found') {
    return { code: 'document.missing', message: 'The uploaded file is missing; upload it again', transient: false };
  }
  if (error instanceof AppError) {
    return { code: error.code, message: error.detail, transient: PASSING.includes(error.code) };
  }
  if (isDatabaseUnavailable(error) || isSystemError(error)) {
    return { code: 'unavailable', message: 'A service behind this one did not answer; try again', transient: true };
  }
  return { code: 'internal_error', message: 'The document could not be processed; try again', transient: false };
}
