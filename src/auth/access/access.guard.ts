import { AppError, type Awaitable, type Caller, after, assertUnrestricted, onFailure } from '@bellwether/kernel';
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

  canActivate(context: ExecutionContext): Awaitable<boolean> {
    const rule = this.reflector.getAllAndOverride<AccessRule | undefined>(ACCESS_METADATA, [
      context.getHandler(),
      context.getClass(),
    ]);
    const request = context.switchToHttp().getRequest<BellwetherRequest>();
    if (rule?.public === true) {
      return rule.identifies ? this.identify(request) : true;
    }
    return after(this.callerOf(request), (caller) => {
      if (this.reflector.get(FOR_PEOPLE_METADATA, context.getClass()) === true) assertUnrestricted(caller);
      if (caller.kind === 'session') this.assertNoForm(context, request);
      this.admit(rule, caller, request);
      return true;
    });
  }

  /** Lets the caller of a request in, by the rule of its route. @throws {AppError} `forbidden`, `validation_failed` */
  enter(rule: AccessRule | undefined, request: BellwetherRequest): Awaitable<void> {
    return after(this.callerOf(request), (caller) => this.admit(rule, caller, request));
  }

  private admit(rule: AccessRule | undefined, caller: Caller, request: BellwetherRequest): void {
    assertAllowed(rule, caller);
    request.caller = caller;
    bindReach(reachOf(rule, caller, request));
  }

  private callerOf(request: BellwetherRequest): Awaitable<Caller> {
    return after(request.caller ?? this.authenticator.authenticate(request), (known) => {
      const origin = { requestId: textOf(request.id), ip: request.ip ?? null };
      return { ...known, ...this.endUser(known, request), origin };
    });
  }

  /** A public route answers without a credential, so a wrong one is none. */
  private identify(request: BellwetherRequest): Awaitable<boolean> {
    const identified = (): Awaitable<boolean> =>
      after(this.callerOf(request), (caller) => {
        request.caller = caller;
        return true;
      });
    return onFailure(identified, (error) => {
      if (!(error instanceof AppError) || !REFUSALS.has(error.code)) throw error;
      return true;
    });
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
