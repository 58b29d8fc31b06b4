import { HttpException } from '@nestjs/common';
import { AppError, type ErrorCode } from '../../../kernel';
import { databaseErrorToAppError } from '../../database';
import { ERROR_STATUS } from './error-status';

const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'bad_request',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'too_many_requests',
  503: 'unavailable',
};

/** Errors of Express' body parser carry a `type` (body-parser, "Errors"). */
const BODY_PARSER: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  'entity.parse.failed': ['malformed_json', 'The body is not valid JSON'],
  'entity.too.large': ['payload_too_large', 'The body is too large'],
  'encoding.unsupported': ['unsupported_media_type', 'The content encoding is not supported'],
  'charset.unsupported': ['unsupported_media_type', 'The charset is not supported'],
  'request.aborted': ['bad_request', 'The request was aborted'],
  'request.size.invalid': ['bad_request', 'The body length differs from Content-Length'],
};

function typeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'type' in error ? String(error.type) : '';
}

function fromBodyParser(error: unknown): AppError | null {
  const known = BODY_PARSER[typeOf(error)];
  return known === undefined ? null : new AppError(known[0], known[1], { cause: error });
}

/** Routes of OpenAI that clients call by default and that are not offered. */
const NOT_OFFERED = /^Cannot [A-Z]+ \/v1\/(responses|embeddings|completions|assistants|threads)\b/;

function detailOf(error: HttpException, code: ErrorCode): string {
  if (code !== 'not_found') return error.message;
  const [, name] = NOT_OFFERED.exec(error.message) ?? [];
  if (name === undefined) return 'There is nothing here';
  return `/v1/${name} is not offered: ask with POST /v1/chat/completions and list assistants with GET /v1/models`;
}

function fromHttpException(error: HttpException): AppError {
  const code = BY_STATUS[error.getStatus()] ?? (error.getStatus() < 500 ? 'bad_request' : 'internal_error');
  return new AppError(code, detailOf(error, code), { cause: error });
}

/** Statuses of errors of Express, such as a malformed percent-encoding. */
function fromStatus(error: unknown): AppError | null {
  if (typeof error !== 'object' || error === null || !('status' in error)) return null;
  const code = BY_STATUS[Number(error.status)];
  return code === undefined || ERROR_STATUS[code] >= 500
    ? null
    : new AppError(code, 'The request is not valid', { cause: error });
}

/** Converts any thrown value; unknown ones become `internal_error` without details. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const known =
    fromBodyParser(error) ??
    (error instanceof HttpException ? fromHttpException(error) : (databaseErrorToAppError(error) ?? fromStatus(error)));
  return known ?? new AppError('internal_error', 'Something went wrong on our side', { cause: error });
}
