import { createHmac } from 'node:crypto';

export type Parameter = readonly [name: string, value: string];

/** RFC 5849 §3.6: more than `encodeURIComponent` encodes. */
export const percentEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);

/** RFC 5849 §3.4.1. `url` has neither a query nor a default port; its host is in lower case. */
export function signatureBase(method: string, url: string, parameters: readonly Parameter[]): string {
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
