import { AppError, type Awaitable, settle } from '@bellwether/kernel';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type NextFunction, type Request, type RequestHandler, type Response, urlencoded } from 'express';
import { toAppError } from './errors/to-app-error';
import type { BellwetherRequest } from './routes/access.decorator';
import { CHAT_LIMITS, HOUSE_LIMITS, type JsonLimits, JsonScanner } from './large-json';
import { BODIES, type MemoryClaim } from './memory-budget';

const CHECK_MS = 10_000;
/** Bytes a second on average that a body keeps up which takes longer than one check. */
const LEAST_RATE = 16 * 1024;

interface Arriving {
  readonly began: number;
  /** Bytes that its socket had received by then. */
  readonly before: number;
}

/** Requests whose bodies arrive. */
const arriving = new Map<IncomingMessage, Arriving>();
let checking: NodeJS.Timeout | null = null;

/** Ends the connection of a body that arrives too slowly, so that such a request cannot hold what it waits with. */
export function cutSlowBody(request: IncomingMessage): void {
  if (request.closed) return;
  arriving.set(request, { began: performance.now(), before: request.socket.bytesRead });
  request.once('close', forgetBody);
  checking ??= setInterval(checkBodies, CHECK_MS).unref();
}

function forgetBody(this: IncomingMessage): void {
  arriving.delete(this);
}

/** A body has five seconds at least. */
function checkBodies(): void {
  if (arriving.size === 0 && checking !== null) {
    clearInterval(checking);
    checking = null;
  }
  const now = performance.now();
  for (const [request, { began, before }] of arriving) {
    const ms = now - began;
    if (ms < CHECK_MS / 2 || request.complete) continue;
    if (request.socket.bytesRead - before < (LEAST_RATE * ms) / 1e3) request.destroy();
  }
}

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;
/** Conversations with pictures in them are large; everything else is not. */
const CHAT_BODY: BodyLimits = { ...CHAT_LIMITS, bytes: 25 * MEBIBYTE };
/** The request of a background run is stored in the database until the run ends. */
const RUN_BODY: BodyLimits = { ...CHAT_LIMITS, bytes: 4 * MEBIBYTE };
const HOUSE_BODY: BodyLimits = { ...HOUSE_LIMITS, bytes: MEBIBYTE };
/** Read without a credential. */
const SIGN_IN_BODY: BodyLimits = { ...HOUSE_LIMITS, bytes: 4 * KIBIBYTE };

const CHAT_PATH = /^\/((?:v1\/)?chat\/completions|lamb\/v1\/completions|api\/v1\/assistants\/\d+\/completions)\/?$/;
const RUN_PATH = /^\/api\/v1\/((assistants\/\d+\/)?runs|conversations\/[\da-f-]{36}\/messages)\/?$/i;

const LOGOUT_NOTICE = /^\/auth\/oidc\/[a-z0-9-]{1,63}\/backchannel-logout\/?$/;

const SIGN_IN_PATH = /^\/api\/v1\/(session(\/password|\/mail|\/link(\/person)?)?|join)$/;

const isSignIn = ({ method, path }: Pick<Request, 'method' | 'path'>): boolean =>
  method === 'POST' && SIGN_IN_PATH.test(path);

/** A form that OpenID providers send; its token is signed. */
const isLogoutNotice = ({ method, path }: Pick<Request, 'method' | 'path'>): boolean =>
  method === 'POST' && LOGOUT_NOTICE.test(path);

const LAUNCH =
  /^\/(lti\/(login|launch|deep-link|register\/[\w-]+)|lamb\/v1\/(lti|lti_creator)\/launch|lamb\/v1\/lti_users\/lti)\/?$/;

/** Forms that LTI platforms have a browser send (1EdTech Security Framework 1.0 §5.1.1, LTI 1.1 §3). */
const isLaunch = ({ method, path }: Pick<Request, 'method' | 'path'>): boolean =>
  method === 'POST' && LAUNCH.test(path);

const takesForm = (request: Pick<Request, 'method' | 'path'>): boolean => isLogoutNotice(request) || isLaunch(request);

/** Routes that take a body without a credential. */
export const takesBodyOfAnybody = (request: Pick<Request, 'method' | 'path'>): boolean =>
  isSignIn(request) || takesForm(request);

/** Routes that answer a question at once. */
export const isCompletion = ({ path }: Pick<Request, 'path'>): boolean => CHAT_PATH.test(path);

/** Routes with the largest bodies; all need the scope `chat`. */
export const isChat = (request: Pick<Request, 'path'>): boolean => isCompletion(request) || RUN_PATH.test(request.path);

export const hasBody = ({ headers }: Pick<Request, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Accepts JSON, and multipart for routes that read it themselves. Refuses the rest: forms above all (CSRF). */
function onlyKnownTypes(request: Request, _response: Response, next: NextFunction): void {
  if (takesForm(request) && request.is('urlencoded') !== false) next();
  else if (!hasBody(request) || request.is(['json', '+json', 'multipart/form-data']) !== false) next();
  else next(new AppError('unsupported_media_type', 'Send application/json, or multipart/form-data to upload routes'));
}

function limitsOf(request: Request): BodyLimits {
  const { path } = request;
  if (CHAT_PATH.test(path)) return CHAT_BODY;
  if (RUN_PATH.test(path)) return RUN_BODY;
  return takesBodyOfAnybody(request) ? SIGN_IN_BODY : HOUSE_BODY;
}

/** Reads a JSON body, which counts as held until the answer has ended. @throws as `readJson` */
export function readBody(request: BellwetherRequest, response: Response): Promise<unknown> {
  const memory = BODIES.claim(request.caller?.organizationId ?? '');
  if (response.closed) memory.release();
  else response.once('close', () => memory.release());
  return readJson(request, limitsOf(request), memory);
}

function jsonBody(request: Request, response: Response, next: NextFunction): void {
  if (request.is(['json', '+json']) === false || request.is('json') === null) next();
  else
    readBody(request, response).then(
      (body) => {
        request.body = body;
        next();
      },
      (error: unknown) => next(toAppError(error)),
    );
}

const readNotice = urlencoded({ extended: false, limit: 16 * KIBIBYTE, parameterLimit: 10 });
/** An ID token of a platform carries the course, its services and everything that authors added. */
const readLaunch = urlencoded({ extended: false, limit: 128 * KIBIBYTE, parameterLimit: 200 });

/** The forms of the service. No session acts on these routes, so that no page can misuse one. */
function formBody(request: Request, response: Response, next: NextFunction): void {
  if (!takesForm(request) || request.is('urlencoded') === false) return next();
  const read = isLaunch(request) ? readLaunch : readNotice;
  read(request, response, (error?: unknown) => next(error === undefined ? undefined : toAppError(error)));
}

/** Replaces the parsers of Nest, which accept form posts on JSON routes. */
export const bodyParsers = (): RequestHandler[] => [onlyKnownTypes, jsonBody, formBody];

const FORBIDDEN_KEYS = new Set(['__proto__']);

function checkText(text: string): void {
  if (text.includes('\u0000'))
    throw new AppError('bad_request', 'The body holds a NUL character, which cannot be stored');
  if (!text.isWellFormed()) throw new AppError('bad_request', 'The body holds half of a UTF-16 surrogate pair');
}

function childrenOf(value: object): readonly unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  for (const name of Object.keys(value)) {
    if (FORBIDDEN_KEYS.has(name)) throw new AppError('bad_request', `The property name ${name} is not allowed`);
    checkText(name);
  }
  return Object.values(value);
}

/** Refuses NUL, lone surrogates and `__proto__`. @throws {AppError} `bad_request` */
export function assertJsonTexts(body: unknown): void {
  const waiting: unknown[] = [body];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string') checkText(value);
    else if (typeof value === 'object' && value !== null) for (const child of childrenOf(value)) waiting.push(child);
  }
}

export interface BodyLimits extends JsonLimits {
  readonly bytes: number;
}

const DECOMPRESSORS = new Map<string, () => NodeJS.ReadWriteStream & Readable>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;
/** Longer texts are parsed and checked in separate turns of the event loop. */
const LARGE = 1024 * 1024;

const tooLarge = (): AppError => new AppError('payload_too_large', 'The body is too large');

/** JSON is UTF-8 (RFC 8259 §8.1). In other encodings a byte that looks like a bracket may be part of a character. */
function assertUtf8({ headers }: Request): void {
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^utf-?8$/i.test(charset)) throw new AppError('unsupported_media_type', 'The charset is not supported');
}

/** Decompresses the request. The stream is paused until it is read. */
function bytesOf(request: Request): Readable {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return request;
  const decompressor = DECOMPRESSORS.get(encoding);
  if (decompressor === undefined) throw new AppError('unsupported_media_type', 'The content encoding is not supported');
  const unpacked = decompressor();
  request.pipe(unpacked);
  request.once('close', () => {
    if (!request.complete) unpacked.destroy(new Error('aborted'));
  });
  return unpacked;
}

/** Drains the request: answering while the client sends may reset the connection. */
async function discard(request: Request): Promise<void> {
  if (request.readableEnded || request.destroyed) return;
  request.unpipe();
  await new Promise<void>((resolve) => {
    request.once('end', resolve).once('close', resolve).resume();
  });
}

const cutShort = (cause?: unknown): AppError =>
  new AppError('bad_request', 'The body is cut short or wrongly compressed', { cause });

interface Reading {
  readonly done: (text: string) => void;
  readonly failed: (error: AppError) => void;
}

/** Decodes piece by piece: 25 MB at once take 150 ms. @throws AppError before the first piece */
function readText(
  request: Request,
  { bytes: most, ...limits }: BodyLimits,
  memory: MemoryClaim,
  { done, failed }: Reading,
): void {
  const scanner = new JsonScanner(limits);
  const decoder = new StringDecoder('utf8');
  const source = bytesOf(request);
  let text = '';
  let size = 0;
  const leave = (): void => {
    source.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut);
    if (source !== request) source.destroy();
  };
  const onCut = (cause?: unknown): void => {
    leave();
    failed(cutShort(cause));
  };
  const onEnd = (): void => {
    leave();
    done(text + decoder.end());
  };
  const onData = (piece: Buffer): void => {
    try {
      size += piece.length;
      if (size > most) throw tooLarge();
      memory.take(piece.length);
      scanner.push(piece);
      text += decoder.write(piece);
    } catch (error) {
      leave();
      failed(error instanceof AppError ? error : cutShort(error));
    }
  };
  // The client left before: no event tells so again.
  if (source.closed || request.closed) return onCut();
  source.on('data', onData).once('end', onEnd).once('error', onCut).once('close', onCut);
}

/** `charCodeAt` also flattens V8's rope string, which takes noticeable time for large bodies. */
const withoutByteOrderMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError('malformed_json', 'The body is not valid JSON', { cause: error });
  }
}

function bodyOf(text: string): Awaitable<unknown> {
  if (text === '') return {};
  if (text.length > LARGE) return largeBodyOf(text);
  const body = parse(text);
  assertJsonTexts(body);
  return body;
}

async function largeBodyOf(text: string): Promise<unknown> {
  await nextTurn();
  const body = parse(text);
  await nextTurn();
  assertJsonTexts(body);
  await nextTurn();
  return body;
}

/**
 * Reads a JSON body and checks its size and shape while it arrives.
 * @throws {AppError} `payload_too_large`, `body_too_complex`, `malformed_json`, `bad_request`,
 * `unsupported_media_type`, `unavailable`
 */
export function readJson(request: Request, limits: BodyLimits, memory: MemoryClaim): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const failed = (error: unknown): void => {
      memory.release();
      void discard(request).then(() => reject(error instanceof Error ? error : cutShort(error)));
    };
    const done = (text: string): void => {
      void settle(() => bodyOf(withoutByteOrderMark(text)), resolve, failed);
    };
    try {
      assertUtf8(request);
      if (Number(request.headers['content-length'] ?? 0) > limits.bytes) throw tooLarge();
      readText(request, limits, memory, { done, failed });
    } catch (error) {
      failed(error);
    }
  });
}
