import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../kernel';
import { Authenticator } from './authenticator';
import { credentialOf, unauthenticated } from './credential';
import { assertSameOrigin, isSafeMethod } from './sessions/same-origin';
import { SessionCookie } from './sessions/session-cookie';

export interface CredentialedRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/** Who sent a request: its key where there is one, else the session of its cookie. */
@Injectable()
export class RequestAuthenticator {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly cookie: SessionCookie,
  ) {}

  /** @throws {AppError} `unauthenticated`; `forbidden` where another origin's page would act with the cookie of a session */
  async authenticate({ method, headers }: CredentialedRequest): Promise<Caller> {
    if (headers.authorization !== undefined || headers['x-api-key'] !== undefined) {
      return this.authenticator.authenticate(credentialOf(headers));
    }
    const token = this.cookie.tokenOf(headers);
    if (token === null) throw unauthenticated('A credential is required');
    if (!isSafeMethod(method)) assertSameOrigin(headers, this.cookie.own);
    return this.authenticator.authenticateSession(token);
  }
}
