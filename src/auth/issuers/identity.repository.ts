import { type Page, pageOf, type PageRequest, textCursor } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, MoreThan } from 'typeorm';
import { madeAccountIn } from '../../organizations';
import type { Transaction } from '../../infrastructure/database';
import { IdentityEntity } from './identity.entity';

/** One person at one provider, as one authority knows them. */
export type Subject = Pick<IdentityEntity, 'authority' | 'issuer' | 'subject'>;

const MOST_LAST = 50;

@Injectable()
export class IdentityRepository {
  constructor(private readonly dataSource: DataSource) {}

  find(subject: Subject, tx?: Transaction): Promise<IdentityEntity | null> {
    return this.rows(tx).findOneBy(subject);
  }

  /** Whether another subject of the issuer is this person already. */
  isLinked(own: Pick<IdentityEntity, 'authority' | 'issuer' | 'userId'>, tx: Transaction): Promise<boolean> {
    return this.rows(tx).existsBy(own);
  }

  /** The person with this address whom any authority linked to the subject. */
  async personElsewhere(
    { issuer, subject }: Pick<Subject, 'issuer' | 'subject'>,
    email: string,
    tx: Transaction,
  ): Promise<string | null> {
    const [found] = await tx.query<{ id: string }[]>(
      `SELECT person.id FROM oidc_identities identity JOIN users person ON person.id = identity.user_id
        WHERE identity.issuer = $1 AND identity.subject = $2 AND person.email = $3 LIMIT 1`,
      [issuer, subject, email],
    );
    return found?.id ?? null;
  }

  /** Whether the identity made the account, and no directory provisions it. */
  async madeAccount(
    { issuer, subject, authority }: Subject,
    organizationId: string,
    tx: Transaction,
  ): Promise<boolean> {
    const rows = await tx.query<unknown[]>(
      `SELECT FROM oidc_identities i
        WHERE i.issuer = $1 AND i.subject = $2 AND i.authority = $3 AND ${madeAccountIn('$4')}`,
      [issuer, subject, authority, organizationId],
    );
    return rows.length > 0;
  }

  /** The member whom the organization's directory knows by the id; null for none and for several. */
  async provisionedAs(organizationId: string, externalId: string, tx: Transaction): Promise<string | null> {
    const found = await tx.query<{ id: string }[]>(
      `SELECT user_id AS id FROM scim_users WHERE organization_id = $1 AND external_id = $2 AND deleted_at IS NULL`,
      [organizationId, externalId],
    );
    return found.length === 1 ? (found[0]?.id ?? null) : null;
  }

  /** Whether the directory knows the member by another id. */
  async isKnownOtherwise(
    organizationId: string,
    userId: string,
    externalId: string | null,
    tx: Transaction,
  ): Promise<boolean> {
    const found = await tx.query<unknown[]>(
      `SELECT FROM scim_users
        WHERE organization_id = $1 AND user_id = $2 AND external_id <> $3 AND deleted_at IS NULL`,
      [organizationId, userId, externalId],
    );
    return found.length > 0;
  }

  /** Writes the identity with its last claims. */
  async save(identity: Omit<IdentityEntity, 'createdAt'>, tx: Transaction): Promise<void> {
    await tx.query(
      `INSERT INTO oidc_identities
         (issuer, subject, authority, user_id, organization_id, issuer_key, email, groups, claims, claims_at, external_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
       ON CONFLICT (issuer, subject, authority) DO UPDATE SET
         organization_id = excluded.organization_id, issuer_key = excluded.issuer_key, email = excluded.email,
         groups = excluded.groups, claims = excluded.claims, claims_at = excluded.claims_at,
         external_id = excluded.external_id`,
      [
        identity.issuer,
        identity.subject,
        identity.authority,
        identity.userId,
        identity.organizationId,
        identity.issuerKey,
        identity.email,
        identity.groups,
        JSON.stringify(identity.claims),
        identity.claimsAt,
        identity.externalId,
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
  ofUser(own: Pick<IdentityEntity, 'authority' | 'issuer' | 'userId'>): Promise<IdentityEntity | null> {
    return this.rows().findOne({ where: own, order: { claimsAt: 'DESC' } });
  }

  /** The last identities of an issuer. */
  lastOf(own: Pick<IdentityEntity, 'authority' | 'issuerKey'>): Promise<IdentityEntity[]> {
    return this.rows().find({ where: own, order: { claimsAt: 'DESC' }, take: MOST_LAST });
  }

  private rows(tx?: Transaction) {
    return (tx ?? this.dataSource.manager).getRepository(IdentityEntity);
  }
}
