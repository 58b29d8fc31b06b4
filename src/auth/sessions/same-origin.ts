import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../kernel';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** RFC 9110 §9.2.1 */
export const isSafeMethod = (method: string): boolean => SAFE.has(method.toUpperCase());

export interface OwnOrigin {
  /** The configured origin. Null: the request's `Host` header decides. */
  readonly publicOrigin: string | null;
  readonly isSecure: boolean;
}

const foreign = (): AppError => new AppError('forbidden', 'This request does not come from a page of this service');

/**
 * True when the browser says that our own page or its user sent the request; null when it says nothing.
 * `Sec-Fetch-Site` decides (Fetch Metadata, W3C). Browsers omit it on plain http: there `Origin` decides.
 */
export function saysSameOrigin(headers: IncomingHttpHeaders, { publicOrigin, isSecure }: OwnOrigin): boolean | null {
  const { 'sec-fetch-site': site, origin, host } = headers;
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (origin === undefined) return null;
  if (origin === publicOrigin) return true;
  // Behind TLS only the configured origin counts.
  return !isSecure && host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}

/** Other pages also send the cookie: only our own may change something. @throws {AppError} `forbidden` */
export function assertSameOrigin(headers: IncomingHttpHeaders, own: OwnOrigin): void {
  if (saysSameOrigin(headers, own) !== true) throw foreign();
}

/** For sign-in, without a cookie yet. Clients that are no browsers say nothing. @throws {AppError} `forbidden` */
export function assertNotForeign(headers: IncomingHttpHeaders, own: OwnOrigin): void {
  if (saysSameOrigin(headers, own) === false) throw foreign();
}
