import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  AppError,
  type Awaitable,
  type Caller,
  KeyedSemaphores,
  type Scope,
  after,
  assertUnrestricted,
  isOrganizationAdmin,
  isTeacher,
} from '@bellwether/kernel';
import { Inject, Injectable, type NestMiddleware, type OnApplicationShutdown } from '@nestjs/common';
import type { NextFunction, Response } from 'express';
import { Admission, type ReleaseSlot } from '../../infrastructure/admission';
import { CONFIG, type Config } from '../../infrastructure/config';
import {
  type AccessRule,
  type BellwetherRequest,
  type RequiredRole,
  clientAbortSignal,
  cutSlowBody,
  hasBody,
  isChat,
  isCompletion,
  isScimPath,
  takesBodyOfAnybody,
} from '../../infrastructure/http';
import { OrganizationChanges, OrganizationsService } from '../../organizations';
import { hashOf, looksLikeApiKey, publicIdOf } from '../api-key';
import { ApiKeyRepository, type KeyRow } from '../api-key.repository';
import { looksLikeToken } from '../issuers/token-verifier';
import { ScimTokens } from '../scim-tokens/scim-tokens.service';
import { SessionCookie, assertSameOrigin, isSafeMethod, sessionHashOf } from '../sessions/session-cookie';
import { SessionRepository } from '../sessions/session.repository';
import { AccessTokens } from './access-tokens.service';
import { credentialOf, unauthenticated } from './credential';
import { CredentialCache, type Known } from './credential-cache';
import { namedBy } from './end-user';
import { FailedCredentials, TrustedProxies } from './failed-credentials.service';

const HOLDS: Readonly<Record<RequiredRole, (caller: Caller) => boolean>> = {
  member: () => true,
  teacher: isTeacher,
  organization_admin: isOrganizationAdmin,
  system_admin: (caller) => caller.systemAdmin,
};

/** @throws {AppError} `forbidden` */
export function assertScope(caller: Caller, scope: Scope): void {
  if (!caller.scopes.includes(scope))
    throw new AppError('forbidden', `The credential lacks the scope ${scope}`, { reason: 'scope.needed' });
}

/** Decides by the declaration of the route alone; services decide about objects. @throws {AppError} `forbidden` */
export function assertAllowed(rule: AccessRule | undefined, caller: Caller): void {
  if (rule === undefined) throw new AppError('forbidden', 'This route is not open to anyone');
  if (rule.public) return;
  if (rule.or === undefined || !caller.scopes.includes(rule.or)) assertScope(caller, rule.scope);
  if (rule.scope === 'admin') assertUnrestricted(caller);
  const role = rule.role ?? 'member';
  if (!HOLDS[role](caller))
    throw new AppError('forbidden', `This needs the role ${role} or higher`, { reason: 'role.needed' });
}

const RETRY_AFTER_SECONDS = 5;

interface CredentialedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Client IP address; taken from X-Forwarded-For behind a trusted proxy. */
  readonly ip?: string | undefined;
}

export const callerOf = (row: KeyRow, kind: 'api_key' | 'session' = 'api_key'): Caller => ({
  kind,
  credentialId: row.id,
  organizationId: row.organizationId,
  organizationSlug: row.organizationSlug,
  userId: row.userId,
  role: row.role,
  // Scopes narrow: without `admin` not even a system administrator's key is one. Only keys of the system organization
  // can be: any other organization could add the person and mint one.
  systemAdmin: row.systemAdmin && row.isSystem && row.scopes.includes('admin'),
  scopes: row.scopes,
  assistantIds: row.assistantIds,
  ...(row.activityIds ? { activityIds: row.activityIds } : {}),
  ...(row.publishedOnly === true ? { publishedOnly: true as const } : {}),
});

/** True for a key that is valid and whose owner is an enabled member. */
export const isUsable = ({ disabled, revokedAt, expiresAt }: KeyRow): boolean =>
  !disabled && revokedAt === null && (expiresAt === null || expiresAt.getTime() > Date.now());

const sameHash = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'));

/** Tokens are secrets of up to 16 KiB: the cache keeps digests. */
const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

const knownOf = (row: KeyRow | null, hash: string, kind: 'api_key' | 'session'): Known | null => {
  if (row === null || !sameHash(row.hash, hash) || row.revokedAt !== null) return null;
  if (row.isEnded) throw new AppError('organization_ended', 'The organization of this credential was ended');
  if (row.disabled) return null;
  return { caller: callerOf(row, kind), expiresAt: row.expiresAt?.getTime() ?? Infinity };
};

/** Resolves any credential to a caller. */
@Injectable()
export class Authenticator implements OnApplicationShutdown {
  private readonly apiKeys: CredentialCache;
  private readonly openSessions: CredentialCache;
  private readonly tokens: CredentialCache;

  constructor(
    keys: ApiKeyRepository,
    sessions: SessionRepository,
    accessTokens: AccessTokens,
    private readonly changes: OrganizationChanges,
  ) {
    this.apiKeys = new CredentialCache({
      touch: (id) => keys.touch(id),
      load: async (lookup) => {
        const [publicId = '', hash = ''] = lookup.split('.');
        const row = await (publicId === '' ? keys.findByHash(hash) : keys.findByPublicId(publicId));
        return knownOf(row, hash, 'api_key');
      },
    });
    this.openSessions = new CredentialCache({
      touch: (id) => sessions.touch(id),
      load: async (hash) => knownOf(await sessions.findByHash(hash), hash, 'session'),
    });
    // A token is in no row of ours: its claims say when it ends, and the member's row whether it may act.
    this.tokens = new CredentialCache({ touch: async () => {}, load: (_, token) => accessTokens.read(token) });
    changes.on((organizationId) => this.drop(organizationId));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.apiKeys.settled(), this.openSessions.settled()]);
  }

  /**
   * Authenticates an API key or an access token.
   * @throws {AppError} `unauthenticated`, one answer for every reason; `unavailable` where a provider is down
   */
  authenticate(credential: string): Awaitable<Caller> {
    return looksLikeToken(credential)
      ? this.tokens.get(digestOf(credential), credential)
      : this.authenticateKey(credential);
  }

  /** Authenticates an API key, and nothing else. @throws {AppError} `unauthenticated` */
  authenticateKey(credential: string): Awaitable<Caller> {
    if (!looksLikeApiKey(credential)) throw unauthenticated();
    return this.apiKeys.get(`${publicIdOf(credential) ?? ''}.${hashOf(credential)}`);
  }

  /**
   * Authenticates the value of a session's cookie. @throws {AppError} `unauthenticated`, one answer for every reason.
   */
  authenticateSession(token: string): Awaitable<Caller> {
    return this.openSessions.get(sessionHashOf(token));
  }

  /** Call it after the commit of a change of credentials. */
  forget(organizationId: string): void {
    this.changes.announce(organizationId);
  }

  private drop(organizationId: string): void {
    this.apiKeys.forget(organizationId);
    this.openSessions.forget(organizationId);
    this.tokens.forget(organizationId);
  }
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
  authenticate({ method, path, headers, ip }: CredentialedRequest): Awaitable<Caller> {
    const isScim = isScimPath(path);
    if (headers.authorization !== undefined || headers['x-api-key'] !== undefined) {
      const credential = credentialOf(headers);
      const attempt = (): Awaitable<Caller> =>
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

/**
 * Runs before the body parsers: reads no body without a valid credential, and no large body without the scope of its
 * route. The guard decides the rest. Sign-in and logout notices take a small body without a credential. Completions wait
 * for their place here or are refused, before their body costs anything.
 */
@Injectable()
export class CredentialMiddleware implements NestMiddleware<BellwetherRequest, Response> {
  /** Completions of one person whose body was not read yet. `CompletionSlots` counts the others. */
  private readonly persons: KeyedSemaphores;

  constructor(
    @Inject(CONFIG) { runs }: Pick<Config, 'runs'>,
    private readonly authenticator: RequestAuthenticator,
    private readonly admission: Admission,
    private readonly organizations: OrganizationsService,
    private readonly proxies: TrustedProxies,
  ) {
    this.persons = new KeyedSemaphores(runs.completions.person);
  }

  use(request: BellwetherRequest, response: Response, next: NextFunction): void {
    if (!hasBody(request) || takesBodyOfAnybody(request)) return next();
    try {
      const entered = this.enter(request, response);
      if (entered instanceof Promise) entered.then(() => next(), next);
      else next();
    } catch (error) {
      next(error);
    }
  }

  /**
   * Authenticates a request before its body is read. A completion has its place afterwards. The guard reuses the caller.
   * @throws {AppError} as `RequestAuthenticator`, `overloaded`, `too_many_requests`, `forbidden`
   */
  enter(request: BellwetherRequest, response: Response): Awaitable<void> {
    const needsPlace = isCompletion(request);
    if (needsPlace) this.admission.assertOpen();
    return after(this.authenticator.authenticate(request), (caller) => {
      request.caller = caller;
      if (needsPlace || isChat(request)) assertScope(caller, 'chat');
      if (needsPlace) return this.takePlace(caller, request, response);
    });
  }

  private takePlace(caller: Caller, request: BellwetherRequest, response: Response): Awaitable<void> {
    this.enterAsPerson(caller, request);
    const atOnce = this.admission.tryEnter(caller.organizationId);
    if (atOnce === null) return this.waitForPlace(caller, request, response);
    holdPlace(atOnce, request, response);
    cutSlowBody(request);
  }

  /** One person must not take all places by bodies that never end. @throws AppError `too_many_requests` */
  private enterAsPerson(caller: Caller, request: BellwetherRequest): void {
    const { organizationId, userId, scopes } = caller;
    const { headers, socket } = request;
    const isProxied = this.proxies.sent({ headers, remoteAddress: socket.remoteAddress ?? null });
    const { endUser, mayNameEndUser } = namedBy(headers, { isProxied, scopes });
    // The body may name the person.
    if (endUser === undefined && (isTeacher(caller) || mayNameEndUser === 'anywhere')) return;
    const person = `${organizationId}/${userId}/${endUser?.id ?? ''}`;
    if (!this.persons.tryEnter(person)) {
      const detail = 'Too many completions are being answered; wait for one to end';
      throw new AppError('too_many_requests', detail, { retryAfter: RETRY_AFTER_SECONDS });
    }
    if (request.closed) this.persons.leave(person);
    else request.once('close', () => this.persons.leave(person));
  }

  private async waitForPlace(
    { organizationId }: Caller,
    request: BellwetherRequest,
    response: Response,
  ): Promise<void> {
    const weighing = this.organizations.weight(organizationId);
    const weight = weighing instanceof Promise ? await weighing : weighing;
    const leave = await this.admission.enter({ organizationId, weight, gone: clientAbortSignal(response) });
    holdPlace(leave, request, response);
    // The credential may have been revoked while the request waited.
    const again = this.authenticator.authenticate(request);
    request.caller = again instanceof Promise ? await again : again;
    // From here on the body is read. Before, it stands still in its socket.
    cutSlowBody(request);
  }
}

/** The request holds its place until its response closes. */
function holdPlace(leave: ReleaseSlot, request: BellwetherRequest, response: Response): void {
  request.hasPlace = true;
  if (response.closed) leave();
  else response.once('close', leave);
}
