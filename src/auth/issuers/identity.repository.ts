import { Injectable } from '@nestjs/common';
import { DataSource, MoreThan } from 'typeorm';
import { type Page, pageOf, type PageRequest, textCursor } from '../../kernel';
import type { Transaction } from '../../platform/database';
import { IdentityEntity } from './identity.entity';

@Injectable()
export class IdentityRepository {
  constructor(private readonly dataSource: DataSource) {}

  find(issuer: string, subject: string, tx?: Transaction): Promise<IdentityEntity | null> {
    return this.rows(tx).findOneBy({ issuer, subject });
  }

  /** Whether another subject of the issuer is this person already. */
  isLinked(issuer: string, userId: string, tx: Transaction): Promise<boolean> {
    return this.rows(tx).existsBy({ issuer, userId });
  }

  /** Writes the identity with its last claims. */
  async save(identity: Omit<IdentityEntity, 'createdAt'>, tx: Transaction): Promise<void> {
    await tx.query(
      `INSERT INTO oidc_identities
         (issuer, subject, user_id, organization_id, issuer_key, email, groups, claims, claims_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       ON CONFLICT (issuer, subject) DO UPDATE SET
         organization_id = excluded.organization_id, issuer_key = excluded.issuer_key, email = excluded.email,
         groups = excluded.groups, claims = excluded.claims, claims_at = excluded.claims_at`,
      [
        identity.issuer,
        identity.subject,
        identity.userId,
        identity.organizationId,
        identity.issuerKey,
        identity.email,
        identity.groups,
        JSON.stringify(identity.claims),
        identity.claimsAt,
      ],
    );
  }

  /** People of one organization who came through one issuer, by subject. */
  async page(organizationId: string, issuerKey: string, { limit, cursor }: PageRequest): Promise<Page<IdentityEntity>> {
    const after = textCursor(cursor);
    const own = { organizationId, issuerKey };
    const [found, total] = await Promise.all([
      this.rows().find({
        where: { ...own, ...(after === null ? {} : { subject: MoreThan(after) }) },
        order: { subject: 'ASC' },
        take: limit + 1,
      }),
      this.rows().countBy(own),
    ]);
    return { ...pageOf(found, limit, ({ subject }) => subject), total };
  }

  /** The last identity of a person at one issuer; null without one. */
  ofUser(issuer: string, userId: string): Promise<IdentityEntity | null> {
    return this.rows().findOne({ where: { issuer, userId }, order: { claimsAt: 'DESC' } });
  }

  private rows(tx?: Transaction) {
    return (tx ?? this.dataSource.manager).getRepository(IdentityEntity);
  }
}
