import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AcrossOrganizations, type Transaction } from '../../infrastructure/database';
import { SignInLinkEntity } from './sign-in-link.entity';

export interface LinkedMember {
  readonly organizationId: string;
  readonly userId: string;
}

/** Organizations of one person whose links one e-mail has. */
const MOST_ORGANIZATIONS = 10;

/** A membership that an e-mail address leads to. */
export interface AddressedMember extends LinkedMember {
  readonly name: string;
  /** Name of the organization. */
  readonly organization: string;
}

export interface ConsumedLink extends LinkedMember {
  /** Refused while people of the organization sign in through their institution only. */
  readonly needsLocalSignIn: boolean;
}

export interface NewSignInLink extends ConsumedLink {
  readonly id: string;
  readonly hash: string;
  readonly hours: number;
  /** Administrator whose rights the link comes from; null for the operator's. */
  readonly madeBy: string | null;
}

@Injectable()
export class SignInLinkRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the expiry, by the clock of the database. Deletes expired links. */
  async insert(
    { id, organizationId, userId, hash, hours, needsLocalSignIn, madeBy }: NewSignInLink,
    tx: Transaction,
  ): Promise<Date> {
    await tx.query('DELETE FROM sign_in_links WHERE expires_at < now()');
    const [row] = await tx.query<{ expiresAt: Date }[]>(
      `INSERT INTO sign_in_links (id, organization_id, user_id, hash, expires_at, needs_local_sign_in,
                                  made_by)
       VALUES ($1, $2, $3, $4, now() + make_interval(hours => $5::int), $6, $7) RETURNING expires_at AS "expiresAt"`,
      [id, organizationId, userId, hash, hours, needsLocalSignIn, madeBy],
    );
    if (row === undefined) throw new Error('A sign-in link was not written');
    return row.expiresAt;
  }

  /** Whether a member of any organization has ever signed in. */
  @AcrossOrganizations('start')
  async hasSignIns(): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      'SELECT 1 FROM members WHERE first_signed_in_at IS NOT NULL LIMIT 1',
    );
    return rows.length > 0;
  }

  /**
   * The memberships of an address whose people may sign in by a link that they ask for: enabled, in an organization that is
   * open and lets people sign in here. A mailbox opens neither the accounts of owners and system administrators nor those of
   * people who come by a provider, which is how an institution takes access back.
   */
  @AcrossOrganizations('sign-in')
  addressed(email: string): Promise<AddressedMember[]> {
    return this.dataSource.query<AddressedMember[]>(
      `SELECT member.organization_id AS "organizationId", member.user_id AS "userId", member.name,
              organization.name AS organization
         FROM users person
         JOIN members member ON member.user_id = person.id
         JOIN organizations organization ON organization.id = member.organization_id
        WHERE person.email = $1 AND NOT member.disabled AND NOT organization.suspended
          AND organization.erase_after IS NULL
          AND (organization.settings #>> '{features,local_sign_in}') IS DISTINCT FROM 'false'
          AND member.role <> 'owner' AND NOT person.system_admin
          AND person.email NOT LIKE '%.invalid' AND person.email NOT LIKE '%@localhost'
          AND NOT EXISTS (SELECT FROM oidc_identities i
                           WHERE i.organization_id = member.organization_id AND i.user_id = member.user_id)
          AND NOT EXISTS (SELECT FROM lti_identities i
                           WHERE i.organization_id = member.organization_id AND i.user_id = member.user_id)
          AND NOT EXISTS (SELECT FROM scim_users s
                           WHERE s.organization_id = member.organization_id AND s.user_id = member.user_id
                             AND s.deleted_at IS NULL)
        ORDER BY organization.name LIMIT $2`,
      [email, MOST_ORGANIZATIONS],
    );
  }

  async removeOfMember({ organizationId, userId }: LinkedMember, tx: Transaction): Promise<void> {
    await tx.getRepository(SignInLinkEntity).delete({ organizationId, userId });
  }

  /**
   * Links that the person made for members of the organization, and for organizations that the person administers from
   * outside.
   */
  @AcrossOrganizations('sign-in')
  async removeMadeBy({ organizationId, userId }: LinkedMember, tx: Transaction): Promise<void> {
    await tx.query(
      `DELETE FROM sign_in_links l WHERE l.made_by = $2 AND (l.organization_id = $1 OR NOT EXISTS (
         SELECT FROM members m WHERE m.organization_id = l.organization_id AND m.user_id = $2))`,
      [organizationId, userId],
    );
  }

  /** The member whom the link is for; leaves the link as it is. */
  @AcrossOrganizations('sign-in')
  async find(hash: string): Promise<ConsumedLink | null> {
    return this.dataSource
      .getRepository(SignInLinkEntity)
      .createQueryBuilder('link')
      .where('link.hash = :hash AND link.expires_at > now()', { hash })
      .getOne();
  }

  /** Consumes the link: of two concurrent calls one gets null. */
  @AcrossOrganizations('sign-in')
  async consume(hash: string): Promise<ConsumedLink | null> {
    const result = await this.dataSource
      .createQueryBuilder()
      .delete()
      .from(SignInLinkEntity)
      .where('hash = :hash AND expires_at > now()', { hash })
      .returning('organization_id, user_id, needs_local_sign_in')
      .execute();
    const [row] = result.raw as { organization_id: string; user_id: string; needs_local_sign_in: boolean }[];
    if (row === undefined) return null;
    return {
      organizationId: row.organization_id,
      userId: row.user_id,
      needsLocalSignIn: row.needs_local_sign_in,
    };
  }
}
