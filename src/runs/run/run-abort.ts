import { AppError, type ErrorCode } from '../../kernel';

const RETRY_AFTER_SECONDS = 5;

/** Abort reasons that are also error codes: the run fails with the code. Every other reason cancels it. */
const FAILURES: Partial<Record<ErrorCode, string>> = {
  server_shutdown: 'The server is shutting down',
  unavailable: 'The run could not be recorded: the database did not answer for too long',
  unauthenticated: 'The credential that asked for this is no longer valid, or its owner no longer a member',
  forbidden: 'The credential that asked for this may not chat any more',
  not_found: 'The assistant is no longer available',
};

/** Null for a reason that cancels the run. */
export function abortFailure(reason: string): AppError | null {
  const code = (Object.keys(FAILURES) as ErrorCode[]).find((known) => known === reason);
  const detail = code === undefined ? undefined : FAILURES[code];
  if (code === undefined || detail === undefined) return null;
  return new AppError(code, detail, code === 'server_shutdown' ? { retryAfter: RETRY_AFTER_SECONDS } : {});
}
