import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Response } from 'express';
import { type BellwetherRequest, isSignIn } from '../platform/http';
import { RequestAuthenticator } from './request-authenticator';

const hasBody = ({ headers }: BellwetherRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Stands before the body parsers: nobody makes the service read a large body without a valid credential. Which route the
 * caller may use is the guard's to decide. No route takes a body without a credential but the one that signs in, which takes
 * little.
 */
@Injectable()
export class CredentialGate implements NestMiddleware<BellwetherRequest, Response> {
  constructor(private readonly authenticator: RequestAuthenticator) {}

  use(request: BellwetherRequest, _response: Response, next: NextFunction): void {
    if (!hasBody(request) || isSignIn(request)) return next();
    this.authenticate(request).then(() => next(), next);
  }

  /** What is found here is what the guard goes on with. */
  private async authenticate(request: BellwetherRequest): Promise<void> {
    request.caller = await this.authenticator.authenticate(request);
  }
}
