import type { ServerResponse } from 'node:http';
import { CANARY, PARTIAL_TEXT, TRICKY_TEXT } from '../../src/connectors/testing/scripted-vendor.types';
import type { UpstreamRequest } from './upstream.types';
import type { Dialect } from './upstream-dialect';

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
  'html',
  'empty-object',
  'no-choices',
  'null-content',
  'byte-by-byte',
  'crlf',
  'comments',
  'flood',
  'endless-line',
  'endless-comments',
] as const;
export type FaultName = (typeof FAULTS)[number];

export { CANARY as UPSTREAM_CANARY, PARTIAL_TEXT, TRICKY_TEXT };
export const FLOOD_CHUNKS = 200_000;

interface FaultScript {
  readonly fault: FaultName;
  readonly retryAfter?: number | string;
  readonly message?: string;
}

/** One call that is to fail, and the wire format in which it does. */
interface Scene {
  readonly dialect: Dialect;
  readonly request: UpstreamRequest;
  readonly response: ServerResponse;
}

type Play = (scene: Scene, script: FaultScript) => void | Promise<void>;

export async function playFault(script: FaultScript, scene: Scene): Promise<void> {
  scene.response.on('error', () => undefined);
  await PLAYS[script.fault](scene, script);
}

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};

const refuse =
  (status: number, type: string, code: string | null = null): Play =>
  ({ response, dialect }, script) =>
    json(
      response,
      status,
      dialect.refusal({ status, message: script.message ?? CANARY, type, code }),
      script.retryAfter === undefined ? {} : { 'retry-after': String(script.retryAfter) },
    );

const html =
  (status: number): Play =>
  ({ response }) => {
    const page = `<html><body>${CANARY}</body></html>`;
    response.writeHead(status, { 'content-type': 'text/html' }).end(page);
  };

const openStream = ({ response, dialect }: Scene): void => {
  response.writeHead(200, { 'content-type': dialect.streamType });
  response.flushHeaders();
};

const framesOf = ({ dialect, request }: Scene, content: string, pieces: readonly string[] = [content]) =>
  dialect.frames({ content, pieces }, request);

/** Sends all up to half an answer, without an end. */
const partial = (scene: Scene): void => {
  openStream(scene);
  const frames = framesOf(scene, PARTIAL_TEXT);
  const upTo = frames.findIndex((frame) => frame.includes(PARTIAL_TEXT)) + 1;
  for (const frame of frames.slice(0, upTo)) scene.response.write(frame);
};

const afterPartial =
  (next: Play): Play =>
  (scene, script) => {
    partial(scene);
    setTimeout(() => void next(scene, script), 10);
  };

/** A whole, good answer in unusual bytes. */
const tricky = async (scene: Scene, bytes: Buffer, size: number): Promise<void> => {
  openStream(scene);
  for (let at = 0; at < bytes.length; at += size) {
    scene.response.write(bytes.subarray(at, at + size));
    await new Promise((done) => setImmediate(done));
  }
  scene.response.end();
};

const bytesOf = (scene: Scene, dress: (frame: string) => string = (frame) => frame): Buffer =>
  Buffer.from(
    framesOf(scene, TRICKY_TEXT, TRICKY_TEXT.split(/(?<= )/))
      .map(dress)
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

/** Half an answer, then a sign of life every millisecond until the client leaves. */
function endlessComments(scene: Scene): void {
  partial(scene);
  const alive = setInterval(() => scene.response.write(': still there\n\n'), 1);
  scene.response.on('close', () => clearInterval(alive));
}

async function flood(scene: Scene): Promise<void> {
  const { response } = scene;
  openStream(scene);
  const frames = framesOf(scene, 'flooding');
  const at = frames.findIndex((frame) => frame.includes('flooding'));
  const [delta = '', ...rest] = frames.slice(at);
  for (const frame of frames.slice(0, at)) response.write(frame);
  const many = delta.replace('flooding', 'x').repeat(200);
  for (let sent = 0; sent < FLOOD_CHUNKS && !response.destroyed; sent += 200) {
    if (!response.write(many)) await drained(response);
  }
  response.end(rest.join(''));
}

async function endlessLine(scene: Scene): Promise<void> {
  const { response } = scene;
  openStream(scene);
  while (!response.destroyed) {
    if (!response.write('data: '.padEnd(65_536, 'x'))) await drained(response);
  }
}

const whole = ({ dialect, request }: Scene, content: string | null): object => dialect.whole({ content }, request);

/** An object that is no answer, whole or as the only event of a stream of events. */
const oddObject =
  (body: (scene: Scene) => object): Play =>
  (scene) => {
    const { response, dialect, request } = scene;
    if (!dialect.streams(request)) return json(response, 200, body(scene));
    openStream(scene);
    const text = JSON.stringify(body(scene));
    response.end(dialect.streamType === 'text/event-stream' ? `data: ${text}\n\n` : `${text}\n`);
  };

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
  reset: ({ response }) => void response.socket?.resetAndDestroy(),
  'no-answer': () => undefined,
  'stall-after-headers': openStream,
  'stall-mid-stream': partial,
  'cut-mid-stream': afterPartial(({ response }) => void response.socket?.destroy()),
  'cut-body': (scene) => {
    scene.response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
    scene.response.write(JSON.stringify(whole(scene, 'Half')).slice(0, 60), () => scene.response.socket?.destroy());
  },
  'end-without-finish': afterPartial(({ response }) => void response.end()),
  'done-without-finish': afterPartial(({ response }) => void response.end('data: [DONE]\n\n')),
  'malformed-event': afterPartial(
    ({ response, dialect }) => void response.end(dialect.errorFrame(CANARY).replace(/\}(\s*)$/, '$1')),
  ),
  'error-object-mid-stream': afterPartial(({ response, dialect }) => void response.end(dialect.errorFrame(CANARY))),
  'error-event-mid-stream': afterPartial(
    ({ response }) => void response.end(`event: error\ndata: {"message":"${CANARY}","type":"overloaded_error"}\n\n`),
  ),
  'error-object': ({ response, dialect }) =>
    json(response, 200, dialect.refusal({ status: 500, message: CANARY, type: 'server_error', code: null })),
  html: html(200),
  'empty-object': oddObject(() => ({})),
  'no-choices': oddObject((scene) => ({ ...whole(scene, ''), choices: [] })),
  'null-content': (scene) => {
    if (!scene.dialect.streams(scene.request)) return json(scene.response, 200, whole(scene, null));
    openStream(scene);
    scene.response.end(framesOf(scene, '', []).slice(1).join(''));
  },
  'byte-by-byte': (scene) => tricky(scene, bytesOf(scene), 1),
  crlf: (scene) =>
    tricky(
      scene,
      bytesOf(scene, (frame) => frame.replaceAll('\n', '\r\n')),
      7,
    ),
  comments: (scene) =>
    tricky(
      scene,
      bytesOf(scene, (frame) => `: keep-alive\n\nid: 1\nretry: 5\n${frame}`),
      11,
    ),
  flood,
  'endless-line': endlessLine,
  'endless-comments': endlessComments,
};
