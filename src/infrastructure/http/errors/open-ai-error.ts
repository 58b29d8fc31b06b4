import type { AppError, ErrorCode } from '../../../kernel';
import { ERROR_STATUS } from './error-status';

/** OpenAI's error object (API reference, "Error codes"). */
export interface OpenAiErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
  };
}

const TYPES: Partial<Record<ErrorCode, string>> = {
  unauthenticated: 'authentication_error',
  forbidden: 'permission_error',
  feature_disabled: 'permission_error',
  too_many_requests: 'rate_limit_error',
  rate_limited: 'rate_limit_error',
  quota_exceeded: 'insufficient_quota',
  upstream_rate_limited: 'rate_limit_error',
};

function typeOf(code: ErrorCode): string {
  return TYPES[code] ?? (ERROR_STATUS[code] < 500 ? 'invalid_request_error' : 'server_error');
}

/** Joins all problems: OpenAI's shape has one text only. */
function messageOf(error: AppError): string {
  if (error.problems.length === 0) return error.detail;
  const problems = error.problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return `${error.detail}: ${problems.join('; ')}`;
}

/** Body of an answer, and of the last `data:` frame of a stream. */
export const openAiError = (error: AppError, code: string = error.code): OpenAiErrorBody => ({
  error: { message: messageOf(error), type: typeOf(error.code), param: error.problems[0]?.path ?? null, code },
});
