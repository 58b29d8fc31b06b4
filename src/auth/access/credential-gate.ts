import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Response } from 'express';
import { OrganizationsService } from '../../organizations';
import { Admission, type LeavePlace } from '../../platform/admission';
import {
  type BellwetherRequest,
  clientAbortSignal,
  hasBody,
  isChat,
  isCompletion,
  takesBodyOfAnybody,
} from '../../platform/http';
import { assertScope } from './access-decision';
import { RequestAuthenticator } from './request-authenticator';

/**
 * Runs before the body parsers: reads no body without a valid credential, and no large body without the scope of its
 * route. The guard decides the rest. Sign-in and logout notices take a small body without a credential. Completions wait
 * for their place here, or are refused, before anything else is done for them.
 */
@Injectable()
export class CredentialGate implements NestMiddleware<BellwetherRequest, Response> {
  constructor(
    private readonly authenticator: RequestAuthenticator,
    private readonly admission: Admission,
    private readonly organizations: OrganizationsService,
  ) {}

  use(request: BellwetherRequest, response: Response, next: NextFunction): void {
    if (!hasBody(request) || takesBodyOfAnybody(request)) return next();
    this.authenticate(request, response).then(() => next(), next);
  }

  /** The guard reuses the caller. */
  private async authenticate(request: BellwetherRequest, response: Response): Promise<void> {
    const asks = isCompletion(request);
    if (asks) this.admission.assertOpen();
    const caller = await this.authenticator.authenticate(request);
    request.caller = caller;
    if (asks || isChat(request)) assertScope(caller, 'chat');
    if (!asks) return;
    const { organizationId } = caller;
    const leave = this.admission.tryEnter(organizationId) ?? (await this.waitForPlace(organizationId, response));
    request.hasPlace = true;
    if (response.closed) leave();
    else response.once('close', leave);
  }

  private async waitForPlace(organizationId: string, response: Response): Promise<LeavePlace> {
    const weight = await this.organizations.weight(organizationId);
    return this.admission.enter({ organizationId, weight, gone: clientAbortSignal(response) });
  }
}
