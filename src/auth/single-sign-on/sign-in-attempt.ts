import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { CookieOptions, Response } from 'express';
import type { LoginChecks } from '../issuers/openid-client';
import { SessionCookie, looksLikeSessionToken, newSessionToken } from '../sessions/session-cookie';

const MINUTES_10 = 600_000;

/** A cookie that binds what a browser has begun to it; several tabs share its token. */
export class AttemptCookie {
  constructor(
    private readonly name: string,
    private readonly options: CookieOptions,
  ) {}

  tokenOf({ cookie = '' }: IncomingHttpHeaders): string | null {
    const start = `${this.name}=`;
    const [token, ...others] = cookie
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(start))
      .map((pair) => pair.slice(start.length));
    return token !== undefined && others.length === 0 && looksLikeSessionToken(token) ? token : null;
  }

  ensure(headers: IncomingHttpHeaders, response: Response): string {
    const token = this.tokenOf(headers) ?? newSessionToken();
    response.cookie(this.name, token, { httpOnly: true, path: '/', maxAge: MINUTES_10, ...this.options });
    return token;
  }
}

/** Binds sign-ins to the browser that began them, so that nobody is signed in by another person's answer. */
@Injectable()
export class SignInAttemptCookie extends AttemptCookie {
  constructor({ own: { isSecure } }: SessionCookie) {
    // `Lax`: the provider's answer is a navigation from another site.
    super(isSecure ? '__Host-bw-sso' : 'bw-sso', { sameSite: 'lax', secure: isSecure });
  }
}

/**
 * The checks of one sign-in, made from the browser's token and `state`. They are stored nowhere: whoever reads the database
 * or steals `state` cannot make them.
 */
export function checksOf(browser: string, state: string, redirectUri: string): LoginChecks {
  const derived = (purpose: string): string =>
    createHmac('sha256', browser).update(`${purpose}\n${state}`).digest('base64url');
  return { redirectUri, state, nonce: derived('nonce'), verifier: derived('verifier') };
}

/** A path of this service to go on with; anything else is the start page. */
export function ownPath(text: unknown): string {
  if (typeof text !== 'string' || text.length > 2_000 || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text)) return '/';
  return URL.canParse(text, 'http://own.invalid') && new URL(text, 'http://own.invalid').host === 'own.invalid'
    ? text
    : '/';
}
