import { AppError, type ErrorCode } from '../kernel';

const RETRY_AFTER_SECONDS = 5;

/** Abort reasons after which a run has failed, with that code; every other reason makes it a cancelled one. */
const FAILURES: Partial<Record<ErrorCode, string>> = {
  server_shutdown: 'The server is shutting down',
  unavailable: 'The run could not be recorded: the database did not answer for too long',
  unauthenticated: 'The credential that asked for this is no longer valid, or its owner no longer a member',
  forbidden: 'The credential that asked for this may not chat any more',
  not_found: 'The assistant is no longer available',
};

/** The error of a run that was aborted for `reason`; null for one that was cancelled. */
export function abortFailure(reason: string): AppError | null {
  const code = (Object.keys(FAILURES) as ErrorCode[]).find((known) => known === reason);
  const detail = code === undefined ? undefined : FAILURES[code];
  if (code === undefined || detail === undefined) return null;
  return new AppError(code, detail, code === 'server_shutdown' ? { retryAfter: RETRY_AFTER_SECONDS } : {});
}
