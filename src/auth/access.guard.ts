import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { rememberOrigin } from '../platform/audit';
import { ACCESS_METADATA, type AccessRule, type BellwetherRequest } from '../platform/http';
import { assertAllowed } from './access-decision';
import { Authenticator } from './authenticator';
import { credentialOf } from './credential';

/** Stands before every route. A route that declares neither a permission nor that it is public is denied. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = this.reflector.getAllAndOverride<AccessRule | undefined>(ACCESS_METADATA, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (rule?.public === true) return true;
    const request = context.switchToHttp().getRequest<BellwetherRequest>();
    // A copy of its own per request, so that the audit can tell requests of one key apart.
    const known = request.caller ?? (await this.authenticator.authenticate(credentialOf(request.headers)));
    const caller = { ...known };
    assertAllowed(rule, caller);
    rememberOrigin(caller, { requestId: textOf(request.id), ip: request.socket.remoteAddress ?? null });
    request.caller = caller;
    return true;
  }
}

const textOf = (id: unknown): string | null => (typeof id === 'string' || typeof id === 'number' ? String(id) : null);
