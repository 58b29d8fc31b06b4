import { AppError, OperatorError } from '@bellwether/kernel';
import { isNativeError } from 'node:util/types';

const TRY_AGAIN_SECONDS = 2;

/** Messages of `pg` and Node without an SQLSTATE, because no server answered. */
const UNREACHABLE_MESSAGES = [
  'timeout exceeded when trying to connect',
  'Connection terminated',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed and is not queryable',
  'Cannot use a pool after calling end on the pool',
];
const UNREACHABLE_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
];
/** TypeORM's errors for a connection that was lost under a query runner. */
const RELEASED_RUNNER = ['QueryRunnerAlreadyReleasedError', 'QueryRunnerProviderAlreadyReleasedError'];

/**
 * SQLSTATE classes and codes (PostgreSQL manual, appendix A) after which a retry may succeed: lost connections, a
 * read-only server (25006), rollbacks, a full disk or memory (53), busy rows, a shutdown (57), a failing disk (58).
 */
const TRANSIENT_STATES = ['08', '25006', '25P03', '40001', '40P01', '53', '55P03', '57', '58'];
/** A standby after a failover answers so to every write. */
const READ_ONLY_SERVER = '25006';
const DISK_FULL = '53100';

interface PostgresError {
  readonly code: string;
  readonly name: string;
  readonly message: string;
  readonly constraint?: string;
}

/** TypeORM wraps the error of `pg` and copies its fields, so both forms read alike. */
function asPostgresError(error: unknown): PostgresError | null {
  // Node's own errors may come from another realm, where `instanceof` does not know them.
  if (!isNativeError(error)) return null;
  const { code, constraint } = error as Error & { code?: unknown; constraint?: unknown };
  return {
    code: typeof code === 'string' ? code : '',
    name: error.name,
    message: error.message,
    ...(typeof constraint === 'string' ? { constraint } : {}),
  };
}

/** True for a unique violation; `constraint` tells one unique key of a table from another. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const found = asPostgresError(error);
  return found?.code === '23505' && (constraint === undefined || found.constraint === constraint);
}

export const isTooManyConnections = (error: unknown): boolean => asPostgresError(error)?.code === '53300';

export function isForeignKeyViolation(error: unknown, constraint?: string): boolean {
  const found = asPostgresError(error);
  return found?.code === '23503' && (constraint === undefined || found.constraint === constraint);
}

/** True for an error of COMMIT by which the server tells that nothing was committed (classes 23 and 40 without 40003). */
export function isRolledBack(error: unknown): boolean {
  const code = asPostgresError(error)?.code ?? '';
  return /^(?:23|40)[0-9A-Z]{3}$/.test(code) && code !== '40003';
}

/** A page, file or log of the database cannot be read: XX001, XX002, 58030 and 58P01 in the manual. */
const isDamage = (error: unknown): boolean =>
  ['XX001', 'XX002', '58030', '58P01'].includes(asPostgresError(error)?.code ?? '');

/** The error of a start, with a way out where the files of the database are the reason. */
export function startErrorOf(error: unknown): unknown {
  if (!isDamage(error)) return error;
  const { message } = error as Error;
  return new OperatorError(`The database is damaged (${message}). Restore a backup: docs/guide/backup.md`, {
    cause: error,
  });
}

/** True when the server accepts no writes at all: another server may. */
export const isReadOnlyServer = (error: unknown): boolean => asPostgresError(error)?.code === READ_ONLY_SERVER;

export const isDiskFull = (error: unknown): boolean => asPostgresError(error)?.code === DISK_FULL;

/** True when the database cannot carry out any such statement now, as opposed to refusing this one. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const found = asPostgresError(error);
  if (!found) return false;
  // First, because EPIPE looks like an SQLSTATE.
  if (UNREACHABLE_CODES.includes(found.code) || RELEASED_RUNNER.includes(found.name)) return true;
  if (/^[0-9A-Z]{5}$/.test(found.code)) return TRANSIENT_STATES.some((state) => found.code.startsWith(state));
  return UNREACHABLE_MESSAGES.some((message) => found.message.includes(message));
}

/**
 * Errors that validation did not prevent, as `AppError`s. Null for defects of ours and for other errors. The wording of
 * the server may quote values, so it is kept only as `cause`.
 */
export function databaseErrorToAppError(error: unknown): AppError | null {
  const found = asPostgresError(error);
  if (!found) return null;
  if (/^22[0-9A-Z]{3}$/.test(found.code)) {
    return new AppError('bad_request', 'A value cannot be stored as given', { cause: error });
  }
  if (found.code === '23505') return new AppError('conflict', 'The object exists already', { cause: error });
  if (found.code === '23503') {
    return new AppError('conflict', 'The object refers to, or is referred to by, another one', { cause: error });
  }
  if (found.code === DISK_FULL) return new AppError('insufficient_storage', 'The disk is full', { cause: error });
  if (isDatabaseUnavailable(error)) {
    return new AppError('unavailable', 'A service behind this one does not answer', {
      retryAfter: TRY_AGAIN_SECONDS,
      cause: error,
    });
  }
  return null;
}
