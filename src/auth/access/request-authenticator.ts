import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../kernel';
import { looksLikeApiKey } from '../keys/api-key';
import { Authenticator } from './authenticator';
import { credentialOf, unauthenticated } from './credential';
import { FailedCredentials } from './failed-credentials.service';
import { assertSameOrigin, isSafeMethod } from '../sessions/same-origin';
import { SessionCookie } from '../sessions/session-cookie';

export interface CredentialedRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Authenticates a request by its key, else by the session cookie. */
@Injectable()
export class RequestAuthenticator {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly cookie: SessionCookie,
    private readonly failures: FailedCredentials,
  ) {}

  /**
   * @throws {AppError} `unauthenticated`, `too_many_requests` after many unknown keys, `forbidden` for a page of
   * another origin
   */
  async authenticate({ method, headers, socket }: CredentialedRequest): Promise<Caller> {
    if (headers.authorization !== undefined || headers['x-api-key'] !== undefined) {
      const credential = credentialOf(headers);
      const attempt = (): Promise<Caller> => this.authenticator.authenticate(credential);
      if (!looksLikeApiKey(credential)) return attempt();
      return this.failures.watch({ address: socket.remoteAddress ?? null, kind: 'key', credential }, attempt);
    }
    const token = this.cookie.tokenOf(headers);
    if (token === null) throw unauthenticated('A credential is required');
    if (!isSafeMethod(method)) assertSameOrigin(headers, this.cookie.own);
    return this.authenticator.authenticateSession(token);
  }
}
