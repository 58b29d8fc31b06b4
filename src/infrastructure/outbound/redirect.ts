import { AppError } from '@bellwether/kernel';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import type { OutboundBytes, OutboundRequest } from './outbound.types';

export const REDIRECTS = 3;

const REDIRECT_STATUS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Headers that are sent to another origin; any other may be a credential. */
const SAFE_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'user-agent',
]);

export interface Hop {
  readonly url: URL;
  readonly method: NonNullable<OutboundRequest['method']>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly trusted: boolean;
}

/**
 * The request of a redirect; null for other answers. Another origin gets no credentials, no body and no trust; 301, 302
 * and 303 turn a POST into a GET (Fetch standard, HTTP-redirect fetch).
 */
export function nextHop(hop: Hop, status: number, location: string | string[] | undefined): Hop | null {
  if (!REDIRECT_STATUS.has(status) || typeof location !== 'string') return null;
  if (!URL.canParse(location, hop.url.href))
    throw new AppError('upstream_error', 'The server sent an invalid redirect');
  const url = new URL(location, hop.url);
  const away = url.origin !== hop.url.origin;
  const repeats = status >= 307;
  if (repeats && away && hop.body !== undefined) {
    throw new AppError('outbound_refused', 'The server redirected a request with a body to another origin');
  }
  return {
    url,
    method: repeats || hop.method === 'HEAD' ? hop.method : 'GET',
    headers: away ? withoutCredentials(hop.headers) : hop.headers,
    body: repeats ? hop.body : undefined,
    trusted: hop.trusted && !away,
  };
}

const withoutCredentials = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => SAFE_HEADERS.has(name.toLowerCase())));

const DECODERS: ReadonlyMap<string, () => NodeJS.ReadWriteStream & Readable> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/**
 * Undoes the content coding of an answer; null for a body as it is. Requests ask for `identity`, and some servers and
 * proxies compress all the same (RFC 9110 §12.5.3).
 * @throws AppError `upstream_bad_response` for a coding that is not known
 */
export function decoderOf(headers: Dispatcher.ResponseData['headers']): (NodeJS.ReadWriteStream & Readable) | null {
  const { 'content-encoding': written } = headers;
  if (written === undefined) return null;
  const coding = String(written).trim().toLowerCase();
  if (coding === 'identity' || coding === '') return null;
  const decoder = DECODERS.get(coding)?.();
  if (decoder !== undefined) return decoder;
  throw new AppError(
    'upstream_bad_response',
    `The server compressed its answer as ${coding}; this service reads gzip, deflate and br`,
  );
}

/** The body of an answer without its content coding. @throws as `decoderOf` */
export function decodedBody({ headers, body }: Pick<Dispatcher.ResponseData, 'headers' | 'body'>): Readable {
  let decoder: ReturnType<typeof decoderOf>;
  try {
    decoder = decoderOf(headers);
  } catch (error) {
    body.on('error', () => undefined).destroy();
    throw error;
  }
  if (decoder === null) return body;
  // An error of either ends both, and is read from the decoder.
  pipeline(body, decoder, () => undefined);
  return decoder;
}

/** Reads the body up to `maxBytes`; a larger Content-Length fails at once. */
export async function readBytes(
  response: Dispatcher.ResponseData,
  maxBytes: number,
  take?: (bytes: number) => void,
): Promise<OutboundBytes> {
  const tooLarge = new AppError('upstream_bad_response', `The server sent more than ${maxBytes} bytes`);
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) {
    response.body.on('error', () => undefined).destroy();
    throw tooLarge;
  }
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of decodedBody(response) as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBytes) throw tooLarge;
    take?.(part.length);
    parts.push(part);
  }
  return { status: response.statusCode, headers: flat(response.headers), bytes: Buffer.concat(parts) };
}

const flat = (headers: Dispatcher.ResponseData['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
