import { ExtractionError } from '../../extraction';
import { AppError } from '../../kernel';
import { isDatabaseUnavailable } from '../../infrastructure/database';
import { isTransient } from '../storage/transient-error';

export interface IngestionFailure {
  readonly code: string;
  /** A sentence for the owner. */
  readonly message: string;
  /** A retry may succeed. */
  readonly transient: boolean;
  /** Most tries of a document with this failure; no limit without it. */
  readonly tries?: number;
}

export const CANCELLED = { status: 'failed', error: 'Cancelled', errorCode: 'document.cancelled' } as const;

/** Starts of a document whose process ended; the next one is refused. */
export const MAX_LOST_STARTS = 2;
export const SET_ASIDE: IngestionFailure = {
  code: 'document.resource',
  message:
    'The service ended twice while it read this document, so it was set aside. ' +
    'Save it in another format or in parts; if the service was stopped for another reason, try again',
  transient: false,
};

/** Stops a document that crashes its worker at every try. */
export const MAX_ATTEMPTS = 25;
export const TOO_OFTEN: IngestionFailure = {
  code: 'document.resource',
  message: 'Processing did not finish in many attempts; the document may be too large for this server',
  transient: false,
};

const isSystemError = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'syscall' in error && 'code' in error;

/** One retry, because a busy machine may be the reason. */
const TIMEOUT_TRIES = 2;

/** Unknown errors get a general message: theirs may hold internals. */
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
    return { code: error.code, message: error.detail, transient: isTransient(error.code) };
  }
  if (isDatabaseUnavailable(error) || isSystemError(error)) {
    return { code: 'unavailable', message: 'A service behind this one did not answer; try again', transient: true };
  }
  return { code: 'internal_error', message: 'The document could not be processed; try again', transient: false };
}
