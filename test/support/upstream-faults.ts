import type { ServerResponse } from 'node:http';
import { answerBody, chunkBodies } from './upstream-shapes';

/** Every way a vendor misbehaves that the fault table names (docs/contributing). One name, one behaviour. */
export const FAULTS = [
  'unauthorized',
  'forbidden',
  'bad-request',
  'unprocessable',
  'not-found',
  'rate-limited',
  'quota-exhausted',
  'conflict',
  'request-timeout',
  'server-error',
  'html-bad-gateway',
  'reset',
  'no-answer',
  'stall-after-headers',
  'stall-mid-stream',
  'cut-mid-stream',
  'cut-body',
  'end-without-finish',
  'done-without-finish',
  'malformed-event',
  'error-object-mid-stream',
  'error-event-mid-stream',
  'error-object',
  'json-on-stream',
  'html',
  'empty-object',
  'no-choices',
  'null-content',
  'byte-by-byte',
  'crlf',
  'comments',
  'flood',
  'endless-line',
] as const;
export type FaultName = (typeof FAULTS)[number];

/** Text that faults with a body carry: none of it may reach a client. */
export const UPSTREAM_CANARY = 'upstream-internal-detail';
/** What `cut-mid-stream` and its kind send before they fail. */
export const PARTIAL_TEXT = 'Half an ';
/** The whole answer of `byte-by-byte`, `crlf` and `comments`: several bytes per character on purpose. */
export const TRICKY_TEXT = 'Càlcul → 𝛑 ≈ 3,14 🙂';
export const FLOOD_CHUNKS = 200_000;

interface FaultScript {
  readonly fault: FaultName;
  readonly retryAfter?: number | string;
  readonly message?: string;
}

type Play = (response: ServerResponse, script: FaultScript, stream: boolean) => void | Promise<void>;

export async function playFault(script: FaultScript, stream: boolean, response: ServerResponse): Promise<void> {
  response.on('error', () => undefined);
  await PLAYS[script.fault](response, script, stream);
}

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};

const refuse =
  (status: number, type: string, code: string | null = null): Play =>
  (response, script) =>
    json(
      response,
      status,
      { error: { message: script.message ?? UPSTREAM_CANARY, type, param: null, code } },
      script.retryAfter === undefined ? {} : { 'retry-after': String(script.retryAfter) },
    );

const html =
  (status: number): Play =>
  (response) => {
    const page = `<html><body>${UPSTREAM_CANARY}</body></html>`;
    response.writeHead(status, { 'content-type': 'text/html' }).end(page);
  };

const openStream = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
};

const chunksOf = (text: string, pieces: readonly string[] = [text]) =>
  chunkBodies({ content: text, pieces }, 'scripted', true).map((chunk) => JSON.stringify(chunk));

/** Sends the role and half an answer, without an end. */
const partial = (response: ServerResponse): void => {
  openStream(response);
  for (const chunk of chunksOf(PARTIAL_TEXT).slice(0, 2)) response.write(`data: ${chunk}\n\n`);
};

const afterPartial =
  (next: (response: ServerResponse) => void): Play =>
  (response) => {
    partial(response);
    setTimeout(() => next(response), 10);
  };

/** A whole, good answer in unusual bytes. */
const tricky = async (response: ServerResponse, bytes: Buffer, size: number): Promise<void> => {
  openStream(response);
  for (let at = 0; at < bytes.length; at += size) {
    response.write(bytes.subarray(at, at + size));
    await new Promise((done) => setImmediate(done));
  }
  response.end();
};

const events = (separator: string, between = ''): Buffer =>
  Buffer.from(
    [...chunksOf(TRICKY_TEXT, TRICKY_TEXT.split(/(?<= )/)), '[DONE]']
      .map((data) => `${between}data: ${data}${separator}${separator}`)
      .join(''),
  );

/** Resolves when the reader takes more, or is gone. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((done) => {
    const settle = (): void => {
      response.off('drain', settle).off('close', settle);
      done();
    };
    response.on('drain', settle).on('close', settle);
  });

async function flood(response: ServerResponse): Promise<void> {
  openStream(response);
  const [, delta, finish, usage] = chunksOf('x');
  for (let sent = 0; sent < FLOOD_CHUNKS && !response.destroyed; sent += 200) {
    if (!response.write(`data: ${delta}\n\n`.repeat(200))) {
      await drained(response);
    }
  }
  response.end(`data: ${finish}\n\ndata: ${usage}\n\ndata: [DONE]\n\n`);
}

const good = (content: string | null) => answerBody({ content }, 'scripted');

const PLAYS: Readonly<Record<FaultName, Play>> = {
  unauthorized: refuse(401, 'invalid_request_error', 'invalid_api_key'),
  forbidden: refuse(403, 'permission_error'),
  'bad-request': refuse(400, 'invalid_request_error', 'context_length_exceeded'),
  unprocessable: refuse(422, 'invalid_request_error'),
  'not-found': refuse(404, 'invalid_request_error', 'model_not_found'),
  'rate-limited': refuse(429, 'rate_limit_error', 'rate_limit_exceeded'),
  'quota-exhausted': refuse(429, 'insufficient_quota', 'insufficient_quota'),
  conflict: refuse(409, 'conflict'),
  'request-timeout': refuse(408, 'timeout'),
  'server-error': refuse(500, 'server_error'),
  'html-bad-gateway': html(502),
  reset: (response) => void response.socket?.resetAndDestroy(),
  'no-answer': () => undefined,
  'stall-after-headers': (response) => openStream(response),
  'stall-mid-stream': (response) => partial(response),
  'cut-mid-stream': afterPartial((response) => response.socket?.destroy()),
  'cut-body': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
    response.write(JSON.stringify(good('Half')).slice(0, 60), () => response.socket?.destroy());
  },
  'end-without-finish': afterPartial((response) => response.end()),
  'done-without-finish': afterPartial((response) => response.end('data: [DONE]\n\n')),
  'malformed-event': afterPartial((response) => response.end(`data: {"choices": [{"delta" ${UPSTREAM_CANARY}\n\n`)),
  'error-object-mid-stream': afterPartial((response) =>
    response.end(`data: {"error":{"message":"${UPSTREAM_CANARY}","type":"server_error","code":null}}\n\n`),
  ),
  'error-event-mid-stream': afterPartial((response) =>
    response.end(`event: error\ndata: {"message":"${UPSTREAM_CANARY}","type":"overloaded_error"}\n\n`),
  ),
  'error-object': (response) => json(response, 200, { error: { message: UPSTREAM_CANARY, type: 'server_error' } }),
  'json-on-stream': (response) => json(response, 200, good('A plain answer')),
  html: html(200),
  'empty-object': (response, _, stream) => emptyAnswer(response, stream, {}),
  'no-choices': (response, _, stream) => emptyAnswer(response, stream, { ...good(''), choices: [] }),
  'null-content': (response, _, stream) => {
    if (!stream) return json(response, 200, good(null));
    openStream(response);
    const chunks = chunkBodies({ content: null }, 'scripted', false).filter((_chunk, index) => index > 0);
    response.end([...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((d) => `data: ${d}\n\n`).join(''));
  },
  'byte-by-byte': (response) => tricky(response, events('\n'), 1),
  crlf: (response) => tricky(response, events('\r\n'), 7),
  comments: (response) => tricky(response, events('\n', ': keep-alive\n\nid: 1\nretry: 5\n'), 11),
  flood: (response) => flood(response),
  'endless-line': async (response) => {
    openStream(response);
    while (!response.destroyed) {
      if (!response.write('data: '.padEnd(65_536, 'x'))) {
        await drained(response);
      }
    }
  },
};

function emptyAnswer(response: ServerResponse, stream: boolean, body: unknown): void {
  if (!stream) return json(response, 200, body);
  openStream(response);
  response.end(`data: ${JSON.stringify(body)}\n\ndata: [DONE]\n\n`);
}
