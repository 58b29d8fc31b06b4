import { isJsonObject } from '../../kernel';

/** Three parts of base64url (RFC 7515 §7.1); the signature may be empty, and is refused later. */
const TOKEN = /^[\w-]{2,}\.[\w-]{2,}\.[\w-]*$/;
const MAX_CHARS = 16_384;

export const looksLikeToken = (text: string): boolean => text.length <= MAX_CHARS && TOKEN.test(text);

/** The `iss` that an unverified token names: enough to choose whose keys to check it with, and for nothing else. */
export function issuerNamedBy(token: string): string | null {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return isJsonObject(claims) && typeof claims['iss'] === 'string' ? claims['iss'] : null;
  } catch {
    return null;
  }
}

/** Without slashes at the end. Linear in the length: anybody may send a text of slashes, on which a pattern is quadratic. */
export function unslashed(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}
