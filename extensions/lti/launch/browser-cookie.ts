import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { CookieOptions, Response } from 'express';
import { looksLikeSessionToken, newSessionToken, SessionCookie } from '../../../src/auth';

const SECURE_NAME = '__Host-bw-lti';
const PLAIN_NAME = 'bw-lti';
const MINUTES_10 = 600_000;

/** Binds launches to the browser that began them, so that nobody is signed in by another person's launch. */
@Injectable()
export class BrowserCookie {
  private readonly name: string;
  private readonly options: CookieOptions;

  constructor({ own: { isSecure } }: SessionCookie) {
    this.name = isSecure ? SECURE_NAME : PLAIN_NAME;
    // The platform answers by a POST from its site, often in a frame: `Lax` is not sent then. Browsers take `None` and
    // partitions (CHIPS) over https alone.
    const crossSite = isSecure ? ({ sameSite: 'none', partitioned: true } as const) : ({ sameSite: 'lax' } as const);
    this.options = { httpOnly: true, secure: isSecure, path: '/', ...crossSite };
  }

  tokenOf({ cookie = '' }: IncomingHttpHeaders): string | null {
    const start = `${this.name}=`;
    const [token, ...others] = cookie
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(start))
      .map((pair) => pair.slice(start.length));
    return token !== undefined && others.length === 0 && looksLikeSessionToken(token) ? token : null;
  }

  /** The browser's token, which several frames and tabs share. */
  ensure(headers: IncomingHttpHeaders, response: Response): string {
    const token = this.tokenOf(headers) ?? newSessionToken();
    response.cookie(this.name, token, { ...this.options, maxAge: MINUTES_10 });
    return token;
  }
}
