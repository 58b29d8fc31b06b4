import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { type ErrorCode, uuidv7 } from '../../../kernel';
import { ERROR_TITLES } from './error-status';

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
