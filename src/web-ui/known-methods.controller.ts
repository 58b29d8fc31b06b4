import { All, Controller, Next, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { RequestAuthenticator } from '../auth';
import { AppError } from '../kernel';
import { Public } from '../infrastructure/http';
import { KnownRoutes } from './known-routes';

/** Answers 405 to known paths with an unknown method. Its module follows those of all rooms. */
@ApiExcludeController()
@Controller()
export class KnownMethodsController {
  constructor(
    private readonly routes: KnownRoutes,
    private readonly authenticator: RequestAuthenticator,
  ) {}

  @All('{*path}')
  @Public('Methods of a path')
  async answer(@Req() request: Request, @Res() response: Response, @Next() next: NextFunction): Promise<void> {
    const known = this.routes.at(request.path);
    if (known === null) return next();
    if (!known.isPublic) await this.authenticator.authenticate(request);
    response.setHeader('Allow', known.methods.join(', '));
    if (request.method !== 'OPTIONS') {
      throw new AppError('method_not_allowed', `This path takes ${known.methods.join(', ')}`);
    }
    response.status(204).end();
  }
}
