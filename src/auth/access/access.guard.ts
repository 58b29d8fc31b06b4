import { AppError, type Caller, assertUnrestricted } from '@bellwether/kernel';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { bindReach } from '../../infrastructure/database';
import {
  ACCEPTS_FILES_METADATA,
  ACCESS_METADATA,
  type AccessRule,
  type BellwetherRequest,
  FOR_PEOPLE_METADATA,
} from '../../infrastructure/http';
import { RequestAuthenticator, assertAllowed } from './authenticator';
import { namedBy } from './end-user';
import { TrustedProxies } from './failed-credentials.service';

/** Guards every route. Denies a route that declares neither a permission nor `public`. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: RequestAuthenticator,
    private readonly proxies: TrustedProxies,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = this.reflector.getAllAndOverride<AccessRule | undefined>(ACCESS_METADATA, [
      context.getHandler(),
      context.getClass(),
    ]);
    const request = context.switchToHttp().getRequest<BellwetherRequest>();
    if (rule?.public === true) {
      if (rule.identifies) await this.identify(request);
      return true;
    }
    const caller = await this.callerOf(request);
    assertAllowed(rule, caller);
    if (this.reflector.get(FOR_PEOPLE_METADATA, context.getClass()) === true) assertUnrestricted(caller);
    if (caller.kind === 'session') this.assertNoForm(context, request);
    request.caller = caller;
    bindReach(reachOf(rule, caller, request));
    return true;
  }

  private async callerOf(request: BellwetherRequest): Promise<Caller> {
    const known = request.caller ?? (await this.authenticator.authenticate(request));
    const origin = { requestId: textOf(request.id), ip: request.ip ?? null };
    return { ...known, ...this.endUser(known, request), origin };
  }

  /** A public route answers without a credential, so a wrong one is none. */
  private async identify(request: BellwetherRequest): Promise<void> {
    try {
      request.caller = await this.callerOf(request);
    } catch (error) {
      if (!(error instanceof AppError) || !REFUSALS.has(error.code)) throw error;
    }
  }

  /** Other pages can send forms: a session may send them only to routes that take files (CSRF). */
  private assertNoForm(context: ExecutionContext, request: BellwetherRequest): void {
    const takesFiles = this.reflector.get<boolean | undefined>(ACCEPTS_FILES_METADATA, context.getHandler()) === true;
    if (!takesFiles && typeof request.is('multipart/form-data') === 'string') {
      throw new AppError('unsupported_media_type', 'Send application/json');
    }
  }

  /** End user of the request, where the key or the proxy may name one; else names are ignored. */
  private endUser(
    { scopes }: Caller,
    { headers, socket }: BellwetherRequest,
  ): Pick<Caller, 'mayNameEndUser' | 'endUser'> {
    const isProxied = this.proxies.sent({ headers, remoteAddress: socket.remoteAddress ?? null });
    return namedBy(headers, { isProxied, scopes });
  }
}

/** A system administrator manages every organization: on routes for administrators, and where the path names another one. */
function reachOf(rule: AccessRule | undefined, caller: Caller, { params: { slug } }: BellwetherRequest): OwnReach {
  const { systemAdmin, organizationId, organizationSlug } = caller;
  const isElsewhere = slug !== undefined && slug !== organizationSlug;
  const administers = rule?.public === false && rule.scope === 'admin';
  return systemAdmin && (isElsewhere || administers) ? { crossing: 'system administration' } : { organizationId };
}

const REFUSALS: ReadonlySet<string> = new Set(['unauthenticated', 'forbidden', 'too_many_requests', 'rate_limited']);

type OwnReach = Parameters<typeof bindReach>[0];

const textOf = (id: unknown): string | null => (typeof id === 'string' || typeof id === 'number' ? String(id) : null);
