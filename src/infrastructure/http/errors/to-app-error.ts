import { AppError, type ErrorCode, uuidv7 } from '@bellwether/kernel';
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { HttpException, Logger } from '@nestjs/common';
import { databaseErrorToAppError } from '../../database';

/** HTTP status (RFC 9110) and title of every code. 499 is nginx's "client closed request". */
const ERRORS: Readonly<Record<ErrorCode, readonly [status: number, title: string]>> = {
  bad_request: [400, 'Bad request'],
  malformed_json: [400, 'Malformed JSON'],
  body_too_complex: [400, 'Body too complex'],
  validation_failed: [400, 'Validation failed'],
  definition_refused: [422, 'Definition refused'],
  unauthenticated: [401, 'Not authenticated'],
  forbidden: [403, 'Forbidden'],
  feature_disabled: [403, 'Feature disabled'],
  organization_ended: [403, 'Organization ended'],
  not_found: [404, 'Not found'],
  model_not_found: [404, 'Model not found'],
  method_not_allowed: [405, 'Method not allowed'],
  conflict: [409, 'Conflict'],
  conversation_busy: [409, 'Answer not finished'],
  idempotency_in_progress: [409, 'Request in progress'],
  idempotency_mismatch: [422, 'Idempotency key reused'],
  link_expired: [410, 'Link expired'],
  activity_closed: [403, 'Activity closed'],
  agreement_required: [403, 'Agreement required'],
  embedding_model_mismatch: [422, 'Another embedding model'],
  precondition_failed: [412, 'Stale version'],
  precondition_required: [428, 'Version required'],
  payload_too_large: [413, 'Payload too large'],
  unsupported_media_type: [415, 'Unsupported media type'],
  unsupported_content: [400, 'Unsupported content'],
  too_many_requests: [429, 'Too many requests'],
  rate_limited: [429, 'Rate limited'],
  quota_exceeded: [429, 'Quota exceeded'],
  // No 429: waiting frees no bytes.
  storage_limit_reached: [413, 'Storage limit reached'],
  outbound_refused: [400, 'Address refused'],
  tool_failed: [502, 'Tool failed'],
  // No 5xx: clients retry those by themselves, and with them every call of every round.
  'tool_loop.limit': [422, 'Too many function calls'],
  'tool_loop.timeout': [422, 'Functions took too long'],
  connector_not_configured: [503, 'Connector not configured'],
  secret_unavailable: [503, 'Secret unavailable'],
  upstream_rejected: [400, 'Rejected by the model vendor'],
  upstream_rate_limited: [429, 'Rate limited by the model vendor'],
  upstream_auth: [502, 'Refused by the model vendor'],
  upstream_error: [502, 'Model vendor failed'],
  upstream_truncated: [502, 'Answer cut short'],
  upstream_bad_response: [502, 'Unusable answer from the model vendor'],
  upstream_timeout: [504, 'Model vendor too slow'],
  cancelled: [499, 'Cancelled'],
  // Not 429: a load balancer may try another process.
  overloaded: [503, 'Overloaded'],
  server_shutdown: [503, 'Server shutting down'],
  worker_lost: [500, 'The run was lost'],
  run_ended: [409, 'The run has ended'],
  unavailable: [503, 'Unavailable'],
  insufficient_storage: [507, 'Insufficient storage'],
  internal_error: [500, 'Internal error'],
};

const column = <Index extends 0 | 1>(index: Index) =>
  Object.fromEntries(Object.entries(ERRORS).map(([code, row]) => [code, row[index]])) as Readonly<
    Record<ErrorCode, (typeof ERRORS)[ErrorCode][Index]>
  >;

export const ERROR_STATUS = column(0);
export const ERROR_TITLES = column(1);

interface Refusal {
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail: string;
}

const MALFORMED: Refusal = { status: 400, code: 'bad_request', detail: 'The request is not valid HTTP' };
/** Node's codes for requests that never reach Express, with the statuses that Node answers. */
const REFUSALS: ReadonlyMap<string, Refusal> = new Map([
  ['HPE_HEADER_OVERFLOW', { status: 431, code: 'bad_request', detail: 'The headers of the request are too large' }],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', { status: 413, code: 'payload_too_large', detail: 'The body is too large' }],
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: 408, code: 'bad_request', detail: 'The request did not arrive in time' }],
]);

function answerTo({ status, code, detail }: Refusal, requestId: string): string {
  const type = `urn:bellwether:error:${code}`;
  const body = JSON.stringify({ type, title: ERROR_TITLES[code], status, code, detail, request_id: requestId });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/** Answers requests that the parser of Node refuses as a problem (RFC 9457). Without a listener Node sends no body. */
export function answerUnreadableRequests(server: Server): void {
  const logger = new Logger('Http');
  const answering = new WeakMap<object, ServerResponse>();
  server.on('request', ({ socket }, response) => answering.set(socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const open = answering.get(socket);
    // A second head would corrupt an answer that is being sent.
    const isMidAnswer = open !== undefined && open.headersSent && !open.writableEnded;
    if (!socket.writable || isMidAnswer || error.code === 'ECONNRESET') return void socket.destroy();
    const refusal = REFUSALS.get(error.code ?? '') ?? MALFORMED;
    const requestId = uuidv7();
    logger.log({ msg: 'request cannot be read', request_id: requestId, status: refusal.status, reason: error.code });
    socket.end(answerTo(refusal, requestId), () => socket.destroy());
  });
}

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
