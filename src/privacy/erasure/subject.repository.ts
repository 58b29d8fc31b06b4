import { isUuid } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { PersonToRedact } from '../../infrastructure/audit';
import { AcrossOrganizations, type Transaction } from '../../infrastructure/database';
import type { PersonIn } from '../person-rows.repository';
import { PERSON_TABLES } from '../person-tables';
import type { Subject } from './erasure.types';

/** People without a membership have data here if one of these tables has rows of theirs. */
const TRACES = PERSON_TABLES.filter(({ table }) =>
  [
    ...['runs', 'conversations', 'assistants', 'knowledge_bases', 'rubrics', 'prompt_templates'],
    ...['external_collections', 'files'],
  ].includes(table),
)
  .map(({ table, rows }) => `EXISTS (SELECT FROM ${table} t WHERE ${rows.replaceAll('$2', 'person.id')})`)
  .join(' OR ');

const FIND = `
  SELECT person.id AS "userId", person.email, coalesce(member.name, person.email) AS name, member.role,
         coalesce(member.disabled, true) AS disabled, person.system_admin AS "systemAdmin",
         (SELECT count(*)::int FROM members other WHERE other.user_id = person.id AND other.organization_id <> $1) AS elsewhere
  FROM users person LEFT JOIN members member ON member.user_id = person.id AND member.organization_id = $1
  WHERE (person.id = $2 OR person.email = $3) AND (member.user_id IS NOT NULL OR ${TRACES})`;

const MEMBERS = `
  SELECT member.user_id AS "userId", person.email, member.name, member.role, member.disabled,
         person.system_admin AS "systemAdmin", 0 AS elsewhere
  FROM members member JOIN users person ON person.id = member.user_id WHERE member.organization_id = $1`;

const DEACTIVATE = `
  UPDATE members SET disabled = true, updated_at = CASE WHEN disabled THEN updated_at ELSE now() END
  WHERE organization_id = $1 AND user_id = $2 RETURNING updated_at AS since`;

const REVOKE = `
  UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE organization_id = $1 AND user_id = $2`;

/** Values that members of one name have had in the audit entries about the person. */
const former = (member: string): string => `
  SELECT value #>> '{}' AS value FROM audit_entries entry
  CROSS JOIN LATERAL unnest(ARRAY[entry.before, entry.after]) content
  CROSS JOIN LATERAL jsonb_path_query(content, 'lax $.${member}') value
  WHERE entry.organization_id = $1 AND entry.target_id = $2::uuid::text`;

/**
 * An address of the account is the person's alone unless somebody else has taken it since. A provider may claim any
 * other address.
 */
const IDENTITY = `
  SELECT ARRAY(
    SELECT email FROM users WHERE id = $2
    UNION SELECT value FROM (${former('email')}) had
    WHERE value LIKE '%@%' AND NOT EXISTS (SELECT FROM users other WHERE other.email = lower(value) AND other.id <> $2)
  ) AS addresses, ARRAY(
    SELECT name FROM members WHERE organization_id = $1 AND user_id = $2
    UNION SELECT unnest(ARRAY[email, subject]) FROM oidc_identities WHERE organization_id = $1 AND user_id = $2
    UNION SELECT subject FROM lti_identities WHERE organization_id = $1 AND user_id = $2
    UNION SELECT unnest(ARRAY[email, legacy_user_id]) FROM lti_legacy_people WHERE organization_id = $1 AND user_id = $2
    UNION SELECT unnest(ARRAY[user_name_key, external_id]) FROM scim_users WHERE organization_id = $1 AND user_id = $2
    UNION SELECT value FROM (${former('name')}) had
  ) AS names`;

/** Content of other organizations keeps the account: its owner is needed there. */
const DELETE_ACCOUNT = `
  DELETE FROM users WHERE id = $1 AND NOT EXISTS (SELECT FROM members WHERE user_id = $1)
    AND NOT EXISTS (SELECT FROM oidc_identities WHERE user_id = $1)
    ${['assistants', 'knowledge_bases', 'rubrics', 'prompt_templates', 'external_collections', 'files']
      .map((table) => `AND NOT EXISTS (SELECT FROM ${table} WHERE owner_id = $1)`)
      .join(' ')}`;

export type PersonTexts = Pick<PersonToRedact, 'addresses' | 'names'>;

/** The person whose data is exported or erased. */
@Injectable()
export class SubjectRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Null for everybody without data in this organization. */
  @AcrossOrganizations('directory')
  async find(organizationId: string, userIdOrEmail: string, tx?: Transaction): Promise<Subject | null> {
    const id = isUuid(userIdOrEmail) ? userIdOrEmail : null;
    const values = [organizationId, id, userIdOrEmail.trim().toLowerCase()];
    const [row] = await (tx ?? this.dataSource.manager).query<Subject[]>(FIND, values);
    return row ?? null;
  }

  /** The enabled owner with the oldest membership, other than the person. */
  async firstOtherOwner(organizationId: string, userId: string, tx?: Transaction): Promise<Subject | null> {
    const sql = `${MEMBERS} AND member.role = 'owner' AND NOT member.disabled AND member.user_id <> $2
                 ORDER BY member.created_at, member.user_id LIMIT 1`;
    const [row] = await (tx ?? this.dataSource.manager).query<Subject[]>(sql, [organizationId, userId]);
    return row ?? null;
  }

  async hasOtherSystemAdmin(organizationId: string, userId: string, tx?: Transaction): Promise<boolean> {
    const sql = `${MEMBERS} AND person.system_admin AND NOT member.disabled AND member.user_id <> $2 LIMIT 1`;
    return (await (tx ?? this.dataSource.manager).query<Subject[]>(sql, [organizationId, userId])).length > 0;
  }

  /** Serialises changes of the members of an organization. */
  async lock(organizationId: string, tx: Transaction): Promise<void> {
    await tx.query('SELECT id FROM organizations WHERE id = $1 FOR UPDATE', [organizationId]);
  }

  /** Disables the membership and the keys. Returns since when it is disabled; the beginning of time without a membership. */
  async deactivate({ organizationId, userId }: PersonIn, tx: Transaction): Promise<Date> {
    const [rows] = await tx.query<[{ since: Date }[], number]>(DEACTIVATE, [organizationId, userId]);
    await tx.query(REVOKE, [organizationId, userId]);
    return rows[0]?.since ?? new Date(0);
  }

  /** Texts that identify the person in the audit. */
  @AcrossOrganizations('directory')
  async identity(organizationId: string, userId: string): Promise<PersonTexts> {
    const [found] = await this.dataSource.query<[Record<keyof PersonTexts, (string | null)[]>]>(IDENTITY, [
      organizationId,
      userId,
    ]);
    const { addresses, names } = found;
    return { addresses: addresses.filter((text) => text !== null), names: names.filter((text) => text !== null) };
  }

  async removeMembership(organizationId: string, userId: string, tx: Transaction): Promise<number> {
    const sql = 'DELETE FROM members WHERE organization_id = $1 AND user_id = $2';
    const [, affected] = await tx.query<[unknown, number]>(sql, [organizationId, userId]);
    return affected;
  }

  /** False while another organization needs the account. */
  @AcrossOrganizations('directory')
  async deleteAccount(userId: string, tx: Transaction): Promise<boolean> {
    const [, affected] = await tx.query<[unknown, number]>(DELETE_ACCOUNT, [userId]);
    return affected > 0;
  }
}
