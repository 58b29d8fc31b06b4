import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { looksLikeSessionToken, newSessionToken } from '../sessions/session-token';
import { SessionCookie } from '../sessions/session-cookie';

const SECURE_NAME = '__Host-bw-sso';
const PLAIN_NAME = 'bw-sso';
const MINUTES_10 = 600_000;

/** Binds sign-ins to the browser that began them, so that nobody is signed in by another person's answer. */
@Injectable()
export class AttemptCookie {
  private readonly name: string;
  private readonly isSecure: boolean;

  constructor({ own }: SessionCookie) {
    this.isSecure = own.isSecure;
    this.name = own.isSecure ? SECURE_NAME : PLAIN_NAME;
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

  /** The browser's token, which several tabs share. `Lax`: the provider's answer is a navigation from another site. */
  ensure(headers: IncomingHttpHeaders, response: Response): string {
    const token = this.tokenOf(headers) ?? newSessionToken();
    response.cookie(this.name, token, {
      httpOnly: true,
      sameSite: 'lax',
      secure: this.isSecure,
      path: '/',
      maxAge: MINUTES_10,
    });
    return token;
  }
}
