import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Response } from 'express';
import { Admission } from '../../platform/admission';
import { type BellwetherRequest, hasBody, isChat, isCompletion, takesBodyOfAnybody } from '../../platform/http';
import { assertScope } from './access-decision';
import { RequestAuthenticator } from './request-authenticator';

/**
 * Runs before the body parsers: reads no body without a valid credential, and no large body without the scope of its
 * route. The guard decides the rest. An overloaded service refuses completions here, before it does more for them. Sign-in and logout notices take a small body without a credential.
 */
@Injectable()
export class CredentialGate implements NestMiddleware<BellwetherRequest, Response> {
  constructor(
    private readonly authenticator: RequestAuthenticator,
    private readonly admission: Admission,
  ) {}

  use(request: BellwetherRequest, _response: Response, next: NextFunction): void {
    if (!hasBody(request) || takesBodyOfAnybody(request)) return next();
    this.authenticate(request).then(() => next(), next);
  }

  /** The guard reuses the caller. */
  private async authenticate(request: BellwetherRequest): Promise<void> {
    const isJudged = this.admission.isBusy && isCompletion(request);
    if (isJudged) this.admission.assertOpen();
    request.caller = await this.authenticator.authenticate(request);
    if (isChat(request)) assertScope(request.caller, 'chat');
    if (isJudged) this.admission.assertRoom(request.caller.organizationId);
  }
}
