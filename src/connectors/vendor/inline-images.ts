import { AppError, type ChatMessage, type ContentPart, isJsonObject } from '@bellwether/kernel';
import { IMAGE_TYPES, type InlineImage, type InlineImages } from '@bellwether/plugin';
import { fileTypeFromBuffer } from 'file-type/core';
import type { OutboundClient } from '../../infrastructure/outbound';

const MEBIBYTE = 1024 * 1024;
/** Bytes of the images of one request, all together. */
const MAX_REQUEST_BYTES = 24 * MEBIBYTE;
/** Bytes of all images that the process holds at once. Reading and encoding need up to three times as much memory. */
const MAX_PROCESS_BYTES = 96 * MEBIBYTE;
const TRY_AGAIN_SECONDS = 5;

let processBytes = 0;

/** Counts the image bytes of one request against the limits of the request and of the process. */
class ImageMemory {
  private bytes = 0;

  get left(): number {
    return MAX_REQUEST_BYTES - this.bytes;
  }

  /** @throws AppError `payload_too_large` beyond the request's limit, `too_many_requests` beyond the process's */
  take(bytes: number): void {
    if (bytes > this.left) {
      throw new AppError('payload_too_large', `The images hold more than ${MAX_REQUEST_BYTES / MEBIBYTE} MB together`);
    }
    if (processBytes + bytes > MAX_PROCESS_BYTES) {
      throw new AppError('too_many_requests', 'Too many images are loaded at once', { retryAfter: TRY_AGAIN_SECONDS });
    }
    this.bytes += bytes;
    processBytes += bytes;
  }

  release(): void {
    processBytes -= this.bytes;
    this.bytes = 0;
  }
}

export const NO_IMAGES: InlineImages = new Map();

export const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
/** Images that are fetched for one request. */
const MAX_FETCHED = 16;
const AT_ONCE = 3;
const FETCH_MS = 15_000;
const DATA_URL = /^data:[\w.+/-]{0,100};base64,/i;

type Outbound = Pick<OutboundClient, 'download'>;

/** The address of an image part; null for parts of another type. @throws AppError `bad_request` when it has none */
export function imageUrlOf(part: ContentPart): string | null {
  if (part.type !== 'image_url') return null;
  const image = (part as { image_url?: unknown }).image_url;
  const url = isJsonObject(image) ? image['url'] : image;
  if (typeof url !== 'string' || url === '') throw new AppError('bad_request', 'An image part holds no URL');
  return url;
}

/**
 * Loads every image in the messages. Users write the addresses, so the SSRF rules apply: private ones are refused, at
 * every redirect too.
 * @throws AppError `outbound_refused`, `bad_request` (no image, or not to be had), `payload_too_large`,
 * `too_many_requests` (beyond the process's memory limit), `cancelled`
 */
export async function inlineImages(
  messages: readonly ChatMessage[],
  outbound: Outbound,
  signal: AbortSignal,
): Promise<InlineImages> {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as readonly ContentPart[]) : []));
  const urls = [...new Set(parts.flatMap((part) => imageUrlOf(part) ?? []))];
  const remote = urls.filter((url) => !url.startsWith('data:'));
  if (remote.length > MAX_FETCHED) {
    throw new AppError('bad_request', `The messages link to more than ${MAX_FETCHED} images; send some as data URLs`);
  }
  const memory = new ImageMemory();
  try {
    return await eachOf(urls, signal, async (url, either) =>
      checked(
        url.startsWith('data:') ? decoded(url, memory) : await fetched(url, { outbound, memory, signal: either }),
      ),
    );
  } finally {
    memory.release();
  }
}

/** Loads a few at a time. The first failure cancels the others and is thrown once they have ended. */
async function eachOf<T>(
  urls: readonly string[],
  signal: AbortSignal,
  load: (url: string, signal: AbortSignal) => Promise<T>,
): Promise<ReadonlyMap<string, T>> {
  const waiting = [...urls];
  const loaded = new Map<string, T>();
  const failures: unknown[] = [];
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const worker = async (): Promise<void> => {
    try {
      for (let url = waiting.shift(); url !== undefined; url = waiting.shift())
        loaded.set(url, await load(url, either));
    } catch (error) {
      waiting.length = 0;
      failures.push(error);
      stop.abort();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (failures.length > 0) throw failures[0];
  return loaded;
}

const tooLarge = (): AppError =>
  new AppError(
    'payload_too_large',
    `An image is larger than ${MAX_IMAGE_BYTES / 1024 / 1024} MB, or than the others leave space for`,
  );

function decoded(url: string, memory: ImageMemory): Buffer {
  const prefix = DATA_URL.exec(url.slice(0, 120));
  if (prefix === null) throw new AppError('bad_request', 'An image is given as a data URL that is not base64');
  const size = Math.floor((url.length - prefix[0].length) * 0.75);
  if (size > MAX_IMAGE_BYTES + 3) throw tooLarge();
  memory.take(size);
  return Buffer.from(url.slice(prefix[0].length), 'base64');
}

interface Fetching {
  readonly outbound: Outbound;
  readonly memory: ImageMemory;
  readonly signal: AbortSignal;
}

async function fetched(url: string, { outbound, memory, signal }: Fetching): Promise<Buffer> {
  const headers = { accept: IMAGE_TYPES.join(', '), 'user-agent': 'bellwether' };
  try {
    const maxBytes = Math.min(MAX_IMAGE_BYTES, memory.left);
    const take = (bytes: number): void => memory.take(bytes);
    const answer = await outbound.download({ url, headers, signal, timeoutMs: FETCH_MS, maxBytes, take });
    if (answer.status === 200) return answer.bytes;
    throw new AppError('bad_request', `The server of an image answered with the status ${answer.status}`);
  } catch (error) {
    throw imageFailure(error);
  }
}

/** An image that cannot be loaded is the client's error, not the vendor's: `upstream_*` codes do not fit. */
function imageFailure(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  if (error.code === 'upstream_bad_response') return tooLarge();
  if (error.code === 'upstream_error' || error.code === 'upstream_timeout') {
    return new AppError('bad_request', 'The server of an image could not be reached', { cause: error });
  }
  return error;
}

async function checked(bytes: Buffer): Promise<InlineImage> {
  if (bytes.length > MAX_IMAGE_BYTES) throw tooLarge();
  const found = (await fileTypeFromBuffer(bytes))?.mime;
  const mediaType = IMAGE_TYPES.find((type) => type === found);
  if (mediaType === undefined) throw new AppError('bad_request', 'An image is none: PNG, JPEG, WebP and GIF are taken');
  return { mediaType, base64: bytes.toString('base64') };
}
