import { type Role, type Scope } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThan } from 'typeorm';
import { AcrossOrganizations, TenantScope, type Transaction, tenantRepository } from '../infrastructure/database';
import { ApiKeyEntity } from './api-key.entity';

/** A key with all that decides its rights, read in one query. */
export interface KeyRow {
  readonly id: string;
  readonly hash: string;
  readonly organizationId: string;
  readonly organizationSlug: string;
  readonly isSystem: boolean;
  readonly userId: string;
  readonly role: Role;
  readonly disabled: boolean;
  /** Its organization was ended. */
  readonly isEnded: boolean;
  readonly systemAdmin: boolean;
  readonly scopes: Scope[];
  readonly assistantIds: number[] | null;
  /** Activities of a launch's session; null or absent for other credentials. */
  readonly activityIds?: string[] | null;
  /** Null for a session without a key. */
  readonly publishedOnly: boolean | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

const KEY_ROW = `
  SELECT key.id, key.hash, key.organization_id AS "organizationId", organization.slug AS "organizationSlug",
         organization.is_system AS "isSystem", key.user_id AS "userId", member.role,
         member.disabled OR organization.suspended AS disabled,
         organization.erase_after IS NOT NULL AS "isEnded",
         person.system_admin AS "systemAdmin", key.scopes, key.assistant_ids AS "assistantIds",
         key.published_only AS "publishedOnly", key.expires_at AS "expiresAt", key.revoked_at AS "revokedAt"
    FROM api_keys key
    JOIN organizations organization ON organization.id = key.organization_id
    JOIN members member ON member.organization_id = key.organization_id AND member.user_id = key.user_id
    JOIN users person ON person.id = key.user_id
   WHERE `;

/** Active keys of one organization. */
export class ApiKeyScope extends TenantScope<ApiKeyEntity> {
  /** Newest first; `userId` null lists the keys of all members. */
  list(userId: string | null, limit: number, before: string | null): Promise<[ApiKeyEntity[], number]> {
    const mine = this.where({ revokedAt: IsNull(), ...(userId === null ? {} : { userId }) });
    const older = before === null ? {} : { id: LessThan(before) };
    return Promise.all([
      this.rows.find({ where: { ...mine, ...older }, order: { id: 'DESC' }, take: limit }),
      this.rows.countBy(mine),
    ]);
  }

  /** Revoked ones too. */
  byIds(ids: readonly string[]): Promise<ApiKeyEntity[]> {
    return this.rows.findBy(this.where({ id: In([...ids]) }));
  }

  findActive(id: string): Promise<ApiKeyEntity | null> {
    return this.rows.findOneBy(this.where({ id, revokedAt: IsNull() }));
  }

  async revoke(id: string): Promise<void> {
    await this.rows.update(this.where({ id, revokedAt: IsNull() }), { revokedAt: () => 'now()' });
  }

  /** Returns the ids of those that were active. */
  async revokeOfMember(userId: string): Promise<string[]> {
    const own = this.where({ userId, revokedAt: IsNull() });
    const active = await this.rows.find({ select: { id: true }, where: own });
    await this.rows.update(own, { revokedAt: () => 'now()' });
    return active.map(({ id }) => id);
  }
}

@Injectable()
export class ApiKeyRepository extends tenantRepository(ApiKeyEntity, () => ApiKeyScope) {
  /** No organization is known yet; the key itself is the proof. */
  @AcrossOrganizations('sign-in')
  async findByPublicId(publicId: string): Promise<KeyRow | null> {
    const [row] = await this.dataSource.query<KeyRow[]>(`${KEY_ROW} key.public_id = $1`, [publicId]);
    return row ?? null;
  }

  @AcrossOrganizations('sign-in')
  async findByHash(hash: string): Promise<KeyRow | null> {
    const [row] = await this.dataSource.query<KeyRow[]>(`${KEY_ROW} key.hash = $1`, [hash]);
    return row ?? null;
  }

  @AcrossOrganizations('sign-in')
  async findById(id: string): Promise<KeyRow | null> {
    const [row] = await this.dataSource.query<KeyRow[]>(`${KEY_ROW} key.id = $1`, [id]);
    return row ?? null;
  }

  /** Expiry of a key, or of the key that opened a session; null for none. */
  async expiryOf(credentialId: string): Promise<Date | null> {
    const [row] = await this.dataSource.query<{ expires_at: Date | null }[]>(
      `SELECT expires_at FROM api_keys
        WHERE id = $1 OR id = (SELECT api_key_id FROM sessions WHERE sessions.id = $1)`,
      [credentialId],
    );
    return row?.expires_at ?? null;
  }

  @AcrossOrganizations('sign-in')
  async stateOf(hash: string, tx: Transaction): Promise<'absent' | 'active' | 'revoked'> {
    const row = await tx.getRepository(ApiKeyEntity).findOneBy({ hash });
    if (row === null) return 'absent';
    return row.revokedAt === null ? 'active' : 'revoked';
  }

  @AcrossOrganizations('sign-in')
  async touch(id: string): Promise<void> {
    await this.dataSource
      .createQueryBuilder()
      .update(ApiKeyEntity)
      .set({ lastUsedAt: () => 'now()' })
      .where(`id = :id AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`, { id })
      .execute();
  }
}
