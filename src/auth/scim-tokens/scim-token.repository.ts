import { Injectable } from '@nestjs/common';
import { AcrossOrganizations, TenantScope, tenantRepository } from '../../infrastructure/database';
import { ScimTokenEntity } from './scim-token.entity';

export interface UsedToken {
  readonly id: string;
  readonly organizationId: string;
  readonly organizationSlug: string;
  readonly createdBy: string;
}

/** Stores the last use at most once a minute. */
const USE = `
  WITH found AS (
    SELECT token.id, token.organization_id, token.created_by, token.last_used_at, organization.slug
    FROM scim_tokens token JOIN organizations organization ON organization.id = token.organization_id
    WHERE token.hash = $1 AND NOT organization.suspended
  ), touched AS (
    UPDATE scim_tokens token SET last_used_at = now() FROM found
    WHERE token.id = found.id AND (found.last_used_at IS NULL OR found.last_used_at < now() - interval '1 minute')
  )
  SELECT id, organization_id AS "organizationId", slug AS "organizationSlug", created_by AS "createdBy" FROM found`;

export class ScimTokenScope extends TenantScope<ScimTokenEntity> {
  /** Oldest first. */
  all(): Promise<ScimTokenEntity[]> {
    return this.rows.find({ where: this.where(), order: { createdAt: 'ASC', id: 'ASC' } });
  }

  count(): Promise<number> {
    return this.rows.countBy(this.where());
  }
}

@Injectable()
export class ScimTokenRepository extends tenantRepository(ScimTokenEntity, () => ScimTokenScope) {
  /** Null for an unknown token, and where the organization is suspended. */
  @AcrossOrganizations('sign-in')
  async use(hash: string): Promise<UsedToken | null> {
    const [found] = await this.dataSource.query<UsedToken[]>(USE, [hash]);
    return found ?? null;
  }
}
