import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError, type Caller } from '../../kernel';
import { OrganizationChanges } from '../../organizations';
import { hashOf, looksLikeApiKey, publicIdOf } from '../keys/api-key';
import { ApiKeyRepository, type KeyRow } from '../keys/api-key.repository';
import { looksLikeToken } from '../issuers/unverified-token';
import { AccessTokens } from './access-tokens.service';
import { unauthenticated } from './credential';
import { CredentialCache, type Known } from './credential-cache';
import { SessionRepository } from '../sessions/session.repository';
import { sessionHashOf } from '../sessions/session-token';

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
   * By an API key or an access token.
   * @throws {AppError} `unauthenticated`, one answer for every reason; `unavailable` where a provider is down
   */
  async authenticate(credential: string): Promise<Caller> {
    return looksLikeToken(credential)
      ? this.tokens.get(digestOf(credential), credential)
      : this.authenticateKey(credential);
  }

  /** By an API key alone. @throws {AppError} `unauthenticated` */
  async authenticateKey(credential: string): Promise<Caller> {
    if (!looksLikeApiKey(credential)) throw unauthenticated();
    return this.apiKeys.get(`${publicIdOf(credential) ?? ''}.${hashOf(credential)}`);
  }

  /** By the value of a session's cookie. @throws {AppError} `unauthenticated`, one answer for every reason. */
  async authenticateSession(token: string): Promise<Caller> {
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
