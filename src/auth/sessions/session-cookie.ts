import { AppError } from '@bellwether/kernel';
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { CookieOptions, Response } from 'express';
import { CONFIG, type Config } from '../../infrastructure/config';

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Secret of a session or a sign-in link: 256 random bits. The database stores its digest. */
export const newSessionToken = (): string => randomBytes(32).toString('base64url');

export const looksLikeSessionToken = (text: string): boolean => TOKEN.test(text);

export const sessionHashOf = (token: string): string => createHash('sha256').update(token, 'utf8').digest('hex');

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

/**
 * Checks the origin of a sign-in, which has no cookie yet. Clients that are no browsers say nothing. @throws {AppError}
 * `forbidden`
 */
export function assertNotForeign(headers: IncomingHttpHeaders, own: OwnOrigin): void {
  if (saysSameOrigin(headers, own) === false) throw foreign();
}

/** The prefix makes browsers accept the cookie only over TLS from this host (RFC 6265bis §4.1.3.2). */
const SECURE_NAME = '__Host-bw';
const PLAIN_NAME = 'bw';

const FRAMED: CookieOptions = { sameSite: 'none', partitioned: true };

/** The session cookie, the only cookie of the service. */
@Injectable()
export class SessionCookie {
  private readonly logger = new Logger('Session');
  private hasWarned = false;
  private readonly name: string;
  private readonly options: CookieOptions;
  private readonly maxAge: number;
  readonly own: OwnOrigin;

  constructor(@Inject(CONFIG) { http, sessions }: Pick<Config, 'http' | 'sessions'>) {
    const address = http.publicUrl === null ? null : new URL(http.publicUrl);
    const isSecure = address?.protocol === 'https:';
    this.own = { publicOrigin: address?.origin ?? null, isSecure };
    this.name = isSecure ? SECURE_NAME : PLAIN_NAME;
    this.maxAge = sessions.days * 86_400_000;
    this.options = { httpOnly: true, sameSite: 'lax', secure: isSecure, path: '/' };
  }

  /** Null for no valid cookie, and for two that differ: their origin is unknown. */
  tokenOf({ cookie = '' }: IncomingHttpHeaders): string | null {
    const start = `${this.name}=`;
    const values = cookie
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(start))
      .map((pair) => pair.slice(start.length));
    const [token] = values;
    if (token === undefined || values.some((value) => value !== token)) return null;
    return looksLikeSessionToken(token) ? token : null;
  }

  /**
   * Sets the cookie. `framed`: only a partitioned cookie works in a frame of another site (CHIPS), over https alone.
   */
  set(response: Response, token: string, { framed = false } = {}): void {
    if (!this.own.isSecure && !this.hasWarned) {
      this.hasWarned = true;
      this.logger.warn('Sessions travel over plain http: set PUBLIC_URL to the https address that browsers use');
    }
    const inFrame = framed && this.own.isSecure ? FRAMED : {};
    response.cookie(this.name, token, { ...this.options, ...inFrame, maxAge: this.maxAge });
  }

  clear(response: Response): void {
    response.clearCookie(this.name, this.options);
  }
}
