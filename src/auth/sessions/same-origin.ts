import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../kernel';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** RFC 9110 §9.2.1 */
export const isSafeMethod = (method: string): boolean => SAFE.has(method.toUpperCase());

export interface OwnOrigin {
  /** Null: whatever host the request names. */
  readonly publicOrigin: string | null;
  readonly isSecure: boolean;
}

const foreign = (): AppError => new AppError('forbidden', 'This request does not come from a page of this service');

/**
 * Whether a browser says that one of our own pages sent the request, or its user by hand; null when it says nothing.
 * `Sec-Fetch-Site` has the word where it is there (Fetch Metadata, W3C); browsers leave it out on plain http, and there
 * `Origin` tells.
 */
export function saysSameOrigin(headers: IncomingHttpHeaders, { publicOrigin, isSecure }: OwnOrigin): boolean | null {
  const { 'sec-fetch-site': site, origin, host } = headers;
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (origin === undefined) return null;
  if (origin === publicOrigin) return true;
  // Behind TLS the name of the service is configured, and nothing else is taken for it.
  return !isSecure && host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}

/** A cookie goes with every request that any page makes; only those of our own pages may change something. @throws AppError `forbidden` */
export function assertSameOrigin(headers: IncomingHttpHeaders, own: OwnOrigin): void {
  if (saysSameOrigin(headers, own) !== true) throw foreign();
}

/** Who signs in has no cookie yet; clients that are no browsers say nothing. @throws AppError `forbidden` */
export function assertNotForeign(headers: IncomingHttpHeaders, own: OwnOrigin): void {
  if (saysSameOrigin(headers, own) === false) throw foreign();
}
