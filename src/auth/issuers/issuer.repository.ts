import { type Page, pageOf, type PageRequest, textCursor } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AcrossOrganizations, VersionedScope, tenantRepository } from '../../infrastructure/database';
import { IssuerEntity } from './issuer.entity';

/** A row for the catalogue: with whether there is a logo, not with the picture. */
export type IssuerRow = Omit<IssuerEntity, 'logo' | 'enabled' | 'version' | 'createdAt' | 'updatedAt'> & {
  readonly hasLogo: boolean;
  readonly organizationName: string;
  readonly organizationSlug: string;
};

const MOST = 2_000;

export class IssuerScope extends VersionedScope<IssuerEntity> {
  findByKey(key: string): Promise<IssuerEntity | null> {
    return this.rows.findOneBy(this.where({ key }));
  }

  /** One page of issuers, sorted by key. */
  async page({ limit, cursor }: PageRequest): Promise<Page<IssuerEntity>> {
    const after = textCursor(cursor);
    const query = this.rows
      .createQueryBuilder('issuer')
      .where('issuer.organization_id = :organization', { organization: this.organizationId });
    const total = await query.getCount();
    if (after !== null) query.andWhere('issuer.key > :after', { after });
    const found = await query
      .orderBy('issuer.key', 'ASC')
      .take(limit + 1)
      .getMany();
    return { ...pageOf(found, limit, ({ key }) => key), total };
  }
}

@Injectable()
export class IssuerRepository extends tenantRepository(IssuerEntity, () => IssuerScope) {
  /** Issuers of all organizations that people may sign in with, by name. */
  @AcrossOrganizations('sign-in')
  usable(): Promise<IssuerRow[]> {
    return this.dataSource.query<IssuerRow[]>(
      `SELECT issuer.id, issuer.organization_id AS "organizationId", issuer.key, issuer.name, issuer.url,
              issuer.client_id AS "clientId", issuer.client_secret AS "clientSecret", issuer.listed,
              issuer.for_all AS "forAll", issuer.settings, issuer.logo IS NOT NULL AS "hasLogo",
              organization.name AS "organizationName", organization.slug AS "organizationSlug"
         FROM oidc_issuers issuer JOIN organizations organization ON organization.id = issuer.organization_id
        WHERE issuer.enabled AND NOT organization.suspended ORDER BY issuer.name, issuer.key LIMIT ${MOST}`,
    );
  }

  @AcrossOrganizations('sign-in')
  findByKey(key: string): Promise<IssuerEntity | null> {
    return this.dataSource.getRepository(IssuerEntity).findOneBy({ key });
  }

  /** Null without one. */
  @AcrossOrganizations('sign-in')
  async logoOf(key: string): Promise<string | null> {
    const row = await this.dataSource.getRepository(IssuerEntity).findOneBy({ key, enabled: true });
    return row?.logo ?? null;
  }
}
