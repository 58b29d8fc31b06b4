import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { CookieOptions, Response } from 'express';
import { CONFIG, type Config } from '../../infrastructure/config';
import type { OwnOrigin } from './same-origin';
import { SESSION_HOURS } from './session.repository';
import { looksLikeSessionToken } from './session-token';

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
  readonly own: OwnOrigin;

  constructor(@Inject(CONFIG) { http }: Pick<Config, 'http'>) {
    const address = http.publicUrl === null ? null : new URL(http.publicUrl);
    const isSecure = address?.protocol === 'https:';
    this.own = { publicOrigin: address?.origin ?? null, isSecure };
    this.name = isSecure ? SECURE_NAME : PLAIN_NAME;
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

  /** In a frame of another site only a partitioned cookie works (CHIPS); browsers take it over https alone. */
  set(response: Response, token: string, { framed = false } = {}): void {
    if (!this.own.isSecure && !this.hasWarned) {
      this.hasWarned = true;
      this.logger.warn('Sessions travel over plain http: set PUBLIC_URL to the https address that browsers use');
    }
    const inFrame = framed && this.own.isSecure ? FRAMED : {};
    response.cookie(this.name, token, { ...this.options, ...inFrame, maxAge: SESSION_HOURS * 3_600_000 });
  }

  clear(response: Response): void {
    response.clearCookie(this.name, this.options);
  }
}
