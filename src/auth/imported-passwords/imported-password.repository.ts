import type { Role } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AcrossOrganizations, type Transaction } from '../../infrastructure/database';
import type { LinkedMember } from '../sessions/sign-in-link.repository';
import { ImportedPasswordEntity } from './imported-password.entity';

interface PasswordFigures {
  readonly organization: string;
  readonly passwords: number;
  /** The last end date. */
  readonly until: Date;
}

const FIGURES = `
  SELECT o.slug AS organization, count(*)::int AS passwords, max(p.expires_at) AS until
  FROM imported_passwords p JOIN organizations o ON o.id = p.organization_id
  WHERE p.expires_at > now() GROUP BY o.slug ORDER BY o.slug`;

/** Passwords of another installation that may still be used, by organization. */
export const passwordFigures = (dataSource: DataSource): Promise<PasswordFigures[]> => dataSource.query(FIGURES);

export interface PasswordMember extends LinkedMember {
  readonly role: Role;
}

export interface SealedPassword extends PasswordMember {
  readonly hash: string;
}

const NIL_UUID = '00000000-0000-0000-0000-000000000000';
/** Matches no row. */
export const NOBODY: LinkedMember = { organizationId: NIL_UUID, userId: NIL_UUID };

/** Wrong passwords before the first wait, which then doubles. */
const FREE_FAILURES = 5;
const FIRST_WAIT = '1 minute';
const LONGEST_WAIT = '1 day';

/** Passwords that may let somebody in: into accounts that nobody has used yet. */
const UNUSED = `
  FROM imported_passwords p
  JOIN members m ON m.organization_id = p.organization_id AND m.user_id = p.user_id
  JOIN users u ON u.id = p.user_id
  JOIN organizations o ON o.id = p.organization_id
  WHERE p.expires_at > now() AND m.first_signed_in_at IS NULL AND NOT m.disabled AND NOT u.system_admin
    AND NOT o.suspended AND o.settings #>> '{features,local_sign_in}' IS DISTINCT FROM 'false'`;

@Injectable()
export class ImportedPasswordRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Stores or replaces passwords of members who never signed in. Returns their user ids. */
  async store(
    organizationId: string,
    passwords: readonly Pick<SealedPassword, 'userId' | 'hash'>[],
    expiresAt: Date,
    tx: Transaction,
  ): Promise<string[]> {
    const rows = await tx.query<{ id: string }[]>(
      `INSERT INTO imported_passwords (organization_id, user_id, hash, expires_at)
       SELECT m.organization_id, m.user_id, given.hash, $4
       FROM unnest($2::uuid[], $3::text[]) AS given (user_id, hash)
       JOIN members m ON m.organization_id = $1 AND m.user_id = given.user_id
       JOIN users u ON u.id = m.user_id
       WHERE m.first_signed_in_at IS NULL AND NOT u.system_admin
       ON CONFLICT ON CONSTRAINT imported_passwords_pk
         DO UPDATE SET hash = EXCLUDED.hash, expires_at = EXCLUDED.expires_at
       RETURNING user_id AS id`,
      [organizationId, passwords.map(({ userId }) => userId), passwords.map(({ hash }) => hash), expiresAt],
    );
    return rows.map(({ id }) => id);
  }

  /** The newest password for an address, unless it is blocked. No organization is known yet. */
  @AcrossOrganizations('sign-in')
  async find(email: string): Promise<SealedPassword | null> {
    const [row] = await this.dataSource.query<SealedPassword[]>(
      `SELECT p.organization_id AS "organizationId", p.user_id AS "userId", m.role, p.hash ${UNUSED}
         AND u.email = $1 AND coalesce(p.blocked_until, '-infinity') <= now()
       ORDER BY p.created_at DESC, p.organization_id LIMIT 1`,
      [email],
    );
    return row ?? null;
  }

  /** Whether any password could let somebody in, in one organization or in all. */
  @AcrossOrganizations('sign-in')
  async isAnyLeft(slug: string | null): Promise<boolean> {
    const sql = `SELECT 1 ${UNUSED} AND ($1::text IS NULL OR o.slug = $1) LIMIT 1`;
    return (await this.dataSource.query<unknown[]>(sql, [slug])).length > 0;
  }

  /** Removes the password: of two concurrent uses one gets false. */
  async consume({ organizationId, userId }: LinkedMember, tx: Transaction): Promise<boolean> {
    const { affected } = await tx.getRepository(ImportedPasswordEntity).delete({ organizationId, userId });
    return affected === 1;
  }

  @AcrossOrganizations('sign-in')
  async countFailure({ organizationId, userId }: LinkedMember): Promise<void> {
    await this.dataSource.query(
      `UPDATE imported_passwords SET failures = failures + 1,
         blocked_until = CASE WHEN failures + 1 < ${FREE_FAILURES} THEN NULL ELSE now() + least(
           interval '${LONGEST_WAIT}', interval '${FIRST_WAIT}' * 2 ^ least(failures + 1 - ${FREE_FAILURES}, 20)) END
       WHERE organization_id = $1 AND user_id = $2`,
      [organizationId, userId],
    );
  }

  /** Removes passwords at their end, and those of members who came in another way. Returns their number. */
  @AcrossOrganizations('jobs')
  async removeSpent(): Promise<number> {
    const [, removed] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM imported_passwords p USING members m
       WHERE m.organization_id = p.organization_id AND m.user_id = p.user_id
         AND (p.expires_at <= now() OR m.first_signed_in_at IS NOT NULL)`,
    );
    return removed;
  }
}
