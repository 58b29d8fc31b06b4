import { AppError, notFound } from '../../../kernel';

const RETRY_SECONDS = 5;
const FULL = new Set(['QuotaExceeded', 'XMinioStorageFull', 'EntityTooLarge', 'InsufficientStorage']);
const MISSING_OBJECT = new Set(['NoSuchKey', 'NotFound']);

/** Causes that an operator can act on. */
export type S3Fault = 'missing_bucket' | 'refused' | 'failing' | 'unreachable';

interface Failure {
  readonly name: string;
  readonly status: number | null;
  /** Code of a failed connection, such as ECONNREFUSED. */
  readonly code: string | null;
}

function failureOf(error: unknown): Failure {
  if (typeof error !== 'object' || error === null) return { name: 'unknown', status: null, code: null };
  const { name, code, $metadata } = error as {
    readonly name?: string;
    readonly code?: unknown;
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  return {
    name: name ?? 'unknown',
    status: $metadata?.httpStatusCode ?? null,
    code: typeof code === 'string' ? code : null,
  };
}

export const isMissingObject = (error: unknown): boolean => MISSING_OBJECT.has(failureOf(error).name);

export function faultOf(error: unknown): S3Fault {
  const { name, status } = failureOf(error);
  if (name === 'NoSuchBucket') return 'missing_bucket';
  if (status === 401 || status === 403 || name === 'CredentialsProviderError') return 'refused';
  return status === null ? 'unreachable' : 'failing';
}

/** The failure in names and codes, for the log and for operators. Never the store's message, which may contain keys. */
export function reasonOf(error: unknown): string {
  const { name, status, code } = failureOf(error);
  const known = code ?? (name === 'Error' ? null : name);
  return [known, status === null ? null : String(status)].filter((part) => part !== null).join(' ') || 'unknown';
}

/** The same codes as those of the disk. */
export function s3Error(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isMissingObject(error)) return notFound('File content');
  const { name, status } = failureOf(error);
  if (FULL.has(name) || status === 507) {
    return new AppError('insufficient_storage', 'No space left for uploaded files', { cause: error });
  }
  return new AppError('unavailable', 'The file storage does not answer', { cause: error, retryAfter: RETRY_SECONDS });
}
