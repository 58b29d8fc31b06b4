import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Response } from 'express';
import { type BellwetherRequest, hasBody, isChat, takesBodyOfAnybody } from '../../platform/http';
import { assertScope } from './access-decision';
import { RequestAuthenticator } from './request-authenticator';

/**
 * Runs before the body parsers: reads no body without a valid credential, and no large body without the scope of its
 * route. The guard decides the rest. Sign-in and logout notices take a small body without a credential.
 */
@Injectable()
export class CredentialGate implements NestMiddleware<BellwetherRequest, Response> {
  constructor(private readonly authenticator: RequestAuthenticator) {}

  use(request: BellwetherRequest, _response: Response, next: NextFunction): void {
    if (!hasBody(request) || takesBodyOfAnybody(request)) return next();
    this.authenticate(request).then(() => next(), next);
  }

  /** The guard reuses the caller. */
  private async authenticate(request: BellwetherRequest): Promise<void> {
    request.caller = await this.authenticator.authenticate(request);
    if (isChat(request)) assertScope(request.caller, 'chat');
  }
}
