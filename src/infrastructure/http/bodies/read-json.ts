import { setImmediate as nextTurn } from 'node:timers/promises';
import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Request } from 'express';
import { AppError } from '../../../kernel';
import type { JsonLimits } from './json-limits';
import { JsonScanner } from './json-scanner';
import { assertJsonTexts } from './json-text';
import type { MemoryClaim } from './memory-budget';

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

/** Decodes piece by piece: 25 MB at once take 150 ms. */
async function textOf(request: Request, { bytes: most, ...limits }: BodyLimits, memory: MemoryClaim): Promise<string> {
  const scanner = new JsonScanner(limits);
  const decoder = new StringDecoder('utf8');
  const source = bytesOf(request);
  let text = '';
  let size = 0;
  try {
    for await (const piece of source.iterator({ destroyOnReturn: source !== request }) as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > most) throw tooLarge();
      memory.take(piece.length);
      scanner.push(piece);
      text += decoder.write(piece);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('bad_request', 'The body is cut short or wrongly compressed', { cause: error });
  }
  return text + decoder.end();
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

async function readWithin(request: Request, limits: BodyLimits, memory: MemoryClaim): Promise<unknown> {
  assertUtf8(request);
  if (Number(request.headers['content-length'] ?? 0) > limits.bytes) throw tooLarge();
  const text = withoutByteOrderMark(await textOf(request, limits, memory));
  if (text === '') return {};
  const isLarge = text.length > LARGE;
  if (isLarge) await nextTurn();
  const body = parse(text);
  if (isLarge) await nextTurn();
  assertJsonTexts(body);
  if (isLarge) await nextTurn();
  return body;
}

/**
 * Reads a JSON body and checks its size and shape while it arrives.
 * @throws {AppError} `payload_too_large`, `body_too_complex`, `malformed_json`, `bad_request`,
 * `unsupported_media_type`, `unavailable`
 */
export async function readJson(request: Request, limits: BodyLimits, memory: MemoryClaim): Promise<unknown> {
  try {
    return await readWithin(request, limits, memory);
  } catch (error) {
    memory.release();
    await discard(request);
    throw error;
  }
}
