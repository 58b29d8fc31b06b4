import { type Page, type PageRequest, pageOf, textCursor } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, IsNull, Not } from 'typeorm';
import {
  AcrossOrganizations,
  VersionedScope,
  withinOrganization,
  tenantRepository,
} from '../../../src/infrastructure/database';
import { BRIDGE_ISSUER, PlatformEntity } from './platform.entity';

/** Without a client id, two platforms of one organization stay ambiguous. */
const isProvenBefore = (first: PlatformEntity, second: PlatformEntity, clientId: string | null): boolean =>
  first.provenAt !== null &&
  (clientId !== null || first.organizationId !== second.organizationId || second.provenAt === null);

/** Platforms of LTI 1.3. */
export class PlatformScope extends VersionedScope<PlatformEntity> {
  /** Oldest first. */
  async page({ limit, cursor }: PageRequest): Promise<Page<PlatformEntity>> {
    const after = textCursor(cursor);
    const query = this.rows
      .createQueryBuilder('platform')
      .where('platform.organization_id = :organization', { organization: this.organizationId })
      .andWhere('platform.issuer <> :bridge', { bridge: BRIDGE_ISSUER });
    const total = await query.getCount();
    // Ids grow with time (UUID version 7).
    if (after !== null) query.andWhere('platform.id > :after', { after });
    const found = await query
      .orderBy('platform.id', 'ASC')
      .take(limit + 1)
      .getMany();
    return { ...pageOf(found, limit, ({ id }) => id), total };
  }

  async prove(id: string): Promise<void> {
    await this.rows.update({ ...this.where({ id }), provenAt: IsNull() }, { provenAt: new Date() });
  }

  protected override where(conditions: FindOptionsWhere<PlatformEntity> = {}): FindOptionsWhere<PlatformEntity> {
    return super.where({ issuer: Not(BRIDGE_ISSUER), ...conditions });
  }
}

@Injectable()
export class PlatformRepository extends tenantRepository(PlatformEntity, () => PlatformScope) {
  /** A platform of any organization, for a launch. */
  @AcrossOrganizations('sign-in')
  findAnywhere(id: string): Promise<PlatformEntity | null> {
    return this.dataSource.getRepository(PlatformEntity).findOneBy({ id });
  }

  /**
   * The active platform that a login at the address of all platforms means: the only one with this issuer (and client id), or
   * the one that launched first. Issuer and client id are public, so another organization may have entered them too: its
   * row must not stop the launches of a platform in use. Null without a match, and where none of several has launched.
   */
  @AcrossOrganizations('sign-in')
  async namedBy(issuer: string, clientId: string | null): Promise<PlatformEntity | null> {
    if (issuer === BRIDGE_ISSUER) return null;
    const where = { issuer, active: true, ...(clientId !== null && { clientId }) };
    const order = { provenAt: { direction: 'ASC', nulls: 'LAST' } } as const;
    const [first, second] = await this.dataSource.getRepository(PlatformEntity).find({ where, order, take: 2 });
    if (first === undefined) return null;
    return second === undefined || isProvenBefore(first, second, clientId) ? first : null;
  }

  /** Remembers the first verified launch. */
  async prove({ id, organizationId, provenAt }: PlatformEntity): Promise<void> {
    if (provenAt !== null) return;
    await withinOrganization(organizationId, () => this.within(organizationId).prove(id));
  }
}
