import { createHmac } from 'node:crypto';
import { RefusedLaunch } from '../launch-claims';

type Parameter = readonly [name: string, value: string];

/** RFC 5849 §3.6: more than `encodeURIComponent` encodes. */
const percentEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);

/** RFC 5849 §3.4.1. `url` has neither a query nor a default port; its host is in lower case. */
function signatureBase(method: string, url: string, parameters: readonly Parameter[]): string {
  const sorted = parameters
    .filter(([name]) => name !== 'oauth_signature')
    .map(([name, value]) => [percentEncoded(name), percentEncoded(value)] as const)
    // Encoded names are ASCII, and none is there twice.
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map((pair) => pair.join('='));
  return [method, url, sorted.join('&')].map(percentEncoded).join('&');
}

/** RFC 5849 §3.4.2, without a token. */
export const hmacSha1 = (base: string, consumerSecret: string): string =>
  createHmac('sha1', `${percentEncoded(consumerSecret)}&`)
    .update(base)
    .digest('base64');

/** A form that says who signed it. Nothing in it is verified. */
export interface SignedForm {
  readonly consumerKey: string;
  readonly signature: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly nonce: string;
  /** The text that was signed, one for each address that the service may have for the platform. */
  readonly bases: readonly string[];
  /** Parameters of the form alone. */
  readonly parameters: ReadonlyMap<string, string>;
}

const MOST_TEXT = 255;
/** Seconds that two clocks may differ. */
const CLOCK_TOLERANCE = 300;

/**
 * OAuth 1.0 in the body of a form (RFC 5849 §3.5.2), as LTI 1.1 §4 has it.
 * @param addresses of the request with its query, as the platform may know it
 * @throws RefusedLaunch `bad_request` for parameters that are missing, unknown to LTI 1.1 or there twice
 */
export function signedFormOf(addresses: readonly string[], body: Readonly<Record<string, unknown>>): SignedForm {
  const form = Object.entries(body).map(single);
  const urls = addresses.map((address) => new URL(address));
  const parameters = new Map(form);
  // Platforms repeat the query of the address in the form, and sign it once.
  const query = [...(urls[0]?.searchParams ?? [])].filter(([name, value]) => parameters.get(name) !== value);
  const all = [...query, ...form];
  if (new Set(all.map(([name]) => name)).size !== all.length) refuse('a parameter twice');
  const needed = (name: string): string => {
    const value = parameters.get(name) ?? '';
    if (value === '' || value.length > MOST_TEXT || value.includes('\0')) refuse(`no ${name}`);
    return value;
  };
  if (parameters.get('oauth_signature_method') !== 'HMAC-SHA1') refuse('oauth_signature_method');
  if ((parameters.get('oauth_version') ?? '1.0') !== '1.0') refuse('oauth_version');
  const timestamp = needed('oauth_timestamp');
  if (!/^\d{1,12}$/.test(timestamp)) refuse('oauth_timestamp');
  return {
    consumerKey: needed('oauth_consumer_key'),
    signature: needed('oauth_signature'),
    timestamp: Number(timestamp),
    nonce: needed('oauth_nonce'),
    bases: urls.map((url) => signatureBase('POST', url.origin + url.pathname, all)),
    parameters,
  };
}

/** RFC 5849 §3.3. @throws RefusedLaunch */
export function assertInTime({ timestamp }: Pick<SignedForm, 'timestamp'>, now: number): void {
  const age = Math.floor(now / 1_000) - timestamp;
  if (age > CLOCK_TOLERANCE) throw new RefusedLaunch('expired', `LTI 1.1: sent ${age} s ago`);
  if (age < -CLOCK_TOLERANCE) throw new RefusedLaunch('clock', `LTI 1.1: sent ${-age} s ahead`);
}

function single([name, value]: [string, unknown]): Parameter {
  if (typeof value !== 'string') return refuse('a parameter twice');
  return [name, value];
}

function refuse(detail: string): never {
  throw new RefusedLaunch('bad_request', `LTI 1.1: ${detail}`);
}
