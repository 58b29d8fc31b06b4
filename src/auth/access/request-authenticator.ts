import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../kernel';
import { isScimPath } from '../../infrastructure/http';
import { looksLikeApiKey } from '../keys/api-key';
import { Authenticator } from './authenticator';
import { credentialOf, unauthenticated } from './credential';
import { FailedCredentials } from './failed-credentials.service';
import { assertSameOrigin, isSafeMethod } from '../sessions/same-origin';
import { ScimTokens } from '../scim-tokens/scim-tokens.service';
import { SessionCookie } from '../sessions/session-cookie';

export interface CredentialedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Of the client, also behind a trusted proxy. */
  readonly ip?: string | undefined;
}

/** Authenticates a request by its key, else by the session cookie. SCIM takes its own tokens only, and no other route does. */
@Injectable()
export class RequestAuthenticator {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly cookie: SessionCookie,
    private readonly failures: FailedCredentials,
    private readonly scimTokens: ScimTokens,
  ) {}

  /**
   * @throws {AppError} `unauthenticated`, `too_many_requests` after many unknown keys, `forbidden` for a page of
   * another origin
   */
  async authenticate({ method, path, headers, ip }: CredentialedRequest): Promise<Caller> {
    const isScim = isScimPath(path);
    if (headers.authorization !== undefined || headers['x-api-key'] !== undefined) {
      const credential = credentialOf(headers);
      const attempt = (): Promise<Caller> =>
        isScim ? this.scimTokens.authenticate(credential) : this.authenticator.authenticate(credential);
      if (!looksLikeApiKey(credential)) return attempt();
      return this.failures.watch({ address: ip ?? null, kind: 'key', credential }, attempt);
    }
    const token = isScim ? null : this.cookie.tokenOf(headers);
    if (token === null) throw unauthenticated('A credential is required');
    if (!isSafeMethod(method)) assertSameOrigin(headers, this.cookie.own);
    return this.authenticator.authenticateSession(token);
  }
}
