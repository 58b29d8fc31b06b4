import { Injectable } from '@nestjs/common';
import { DataSource, type FindOptionsWhere, Not, type Repository } from 'typeorm';
import { type Page, pageOf, type PageRequest, textCursor } from '../../kernel';
import { AcrossOrganizations, type Transaction, VersionedScope } from '../../platform/database';
import { PlatformEntity } from './platform.entity';
import { BRIDGE_ISSUER } from './platform.types';

@Injectable()
export class PlatformRepository {
  constructor(private readonly dataSource: DataSource) {}

  within(organizationId: string, tx?: Transaction): PlatformScope {
    return new PlatformScope((tx ?? this.dataSource.manager).getRepository(PlatformEntity), organizationId);
  }

  /** A platform of any organization, for a launch. */
  @AcrossOrganizations('sign-in')
  findAnywhere(id: string): Promise<PlatformEntity | null> {
    return this.dataSource.getRepository(PlatformEntity).findOneBy({ id });
  }

  /** Platforms of any organization with this issuer; at most two without a client id. */
  @AcrossOrganizations('sign-in')
  async namedBy(issuer: string, clientId: string | null): Promise<PlatformEntity[]> {
    if (issuer === BRIDGE_ISSUER) return [];
    const where = { issuer, ...(clientId !== null && { clientId }) };
    return this.dataSource.getRepository(PlatformEntity).find({ where, take: 2 });
  }
}

/** Platforms of LTI 1.3. */
export class PlatformScope extends VersionedScope<PlatformEntity> {
  constructor(rows: Repository<PlatformEntity>, organizationId: string) {
    super(rows, organizationId);
  }

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

  protected override where(conditions: FindOptionsWhere<PlatformEntity> = {}): FindOptionsWhere<PlatformEntity> {
    return super.where({ issuer: Not(BRIDGE_ISSUER), ...conditions });
  }
}
