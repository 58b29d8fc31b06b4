import { Injectable } from '@nestjs/common';
import { In, IsNull, type Repository } from 'typeorm';
import { tenantRepository } from '../../../src/infrastructure/database';
import type { Equality } from '../protocol/list-query';
import { ScimUserEntity } from './scim-user.entity';

export const userNameKey = (userName: string): string => userName.normalize('NFKC').toLowerCase();

/** SQL by attribute of a filter; `:value` is the lower-case text. */
const EMAIL = `EXISTS (SELECT FROM jsonb_array_elements(scim_user.resource->'emails') email
  WHERE lower(email->>'value') = :value)`;
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:user';
const CONDITIONS: ReadonlyMap<string, string> = new Map([
  ['username', 'scim_user.user_name_key = :value'],
  ['displayname', `lower(scim_user.resource->>'displayName') = :value`],
  ['emails', EMAIL],
  ['emails.value', EMAIL],
  ['id', 'scim_user.user_id::text = :value'],
  // Nobody has one here: Entra ID asks for it before it writes the reference.
  ...['manager', 'manager.value', `${ENTERPRISE}:manager`, `${ENTERPRISE}:manager.value`].map(
    (name) => [name, 'CAST(:value AS text) IS NULL'] as const,
  ),
]);

export class ScimUserScope {
  constructor(
    private readonly rows: Repository<ScimUserEntity>,
    private readonly organizationId: string,
  ) {
    if (!organizationId) throw new Error('A tenant scope needs an organization');
  }

  find(userId: string): Promise<ScimUserEntity | null> {
    return this.rows.findOneBy({ organizationId: this.organizationId, userId, deletedAt: IsNull() });
  }

  /** Also a deleted one. */
  everOf(userId: string): Promise<ScimUserEntity | null> {
    return this.rows.findOneBy({ organizationId: this.organizationId, userId });
  }

  /** Also a deleted one. */
  everNamed(userName: string): Promise<ScimUserEntity | null> {
    return this.rows.findOneBy({ organizationId: this.organizationId, userNameKey: userNameKey(userName) });
  }

  /** Rows of the directory's id, deleted ones last. One, unless an earlier release stored several. */
  everIdentified(externalId: string): Promise<ScimUserEntity[]> {
    const where = { organizationId: this.organizationId, externalId };
    return this.rows.find({ where, order: { deletedAt: { direction: 'DESC', nulls: 'FIRST' }, updatedAt: 'DESC' } });
  }

  /** Ids that belong to provisioned users, of those given. */
  async known(userIds: readonly string[]): Promise<Set<string>> {
    if (userIds.length === 0) return new Set();
    const where = { organizationId: this.organizationId, userId: In([...userIds]), deletedAt: IsNull() };
    const found = await this.rows.find({ select: { userId: true }, where });
    return new Set(found.map(({ userId }) => userId));
  }

  /** Oldest first. Null for an attribute that nothing can be found by. */
  async page(
    conditions: readonly Equality[],
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Promise<[ScimUserEntity[], number] | null> {
    const query = this.rows
      .createQueryBuilder('scim_user')
      .where('scim_user.organization_id = :organization', { organization: this.organizationId })
      .andWhere('scim_user.deleted_at IS NULL');
    for (const [index, { attribute, value }] of conditions.entries()) {
      const name = `value${index}`;
      if (attribute === 'externalid') query.andWhere(`scim_user.external_id = :${name}`, { [name]: String(value) });
      else if (attribute === 'active') {
        query.andWhere(
          `:${name} = EXISTS (SELECT FROM members member WHERE member.organization_id = scim_user.organization_id
            AND member.user_id = scim_user.user_id AND NOT member.disabled)`,
          { [name]: value === true || String(value).toLowerCase() === 'true' },
        );
      } else {
        const condition = CONDITIONS.get(attribute);
        if (condition === undefined) return null;
        const text = attribute === 'username' ? userNameKey(String(value)) : String(value).toLowerCase();
        query.andWhere(condition.replace(':value', `:${name}`), { [name]: text });
      }
    }
    const total = await query.getCount();
    if (limit === 0) return [[], total];
    query.orderBy('scim_user.createdAt', 'ASC').addOrderBy('scim_user.userId', 'ASC').offset(offset).limit(limit);
    return [await query.getMany(), total];
  }

  async save(values: Pick<ScimUserEntity, 'userId' | 'userNameKey' | 'externalId' | 'resource'>): Promise<void> {
    const row = { ...values, organizationId: this.organizationId, deletedAt: null, updatedAt: new Date() };
    await this.rows.upsert(row, ['organizationId', 'userId']);
  }

  /** The member who signs in by OpenID Connect with a claim of this id; null for none and for several. */
  async signedInAs(externalId: string): Promise<string | null> {
    const rows = await this.rows.query<{ userId: string }[]>(
      `SELECT DISTINCT user_id AS "userId" FROM oidc_identities WHERE organization_id = $1 AND external_id = $2`,
      [this.organizationId, externalId],
    );
    return rows.length === 1 ? (rows[0]?.userId ?? null) : null;
  }

  /** Whether the member signs in with a claim of another id. */
  async signsInAsAnother(userId: string, externalId: string | null): Promise<boolean> {
    const rows = await this.rows.query<unknown[]>(
      'SELECT FROM oidc_identities WHERE organization_id = $1 AND user_id = $2 AND external_id <> $3',
      [this.organizationId, userId, externalId],
    );
    return rows.length > 0;
  }

  /** Lets another user have the name of a deleted one. */
  async giveUpName(userId: string): Promise<void> {
    await this.rows.update({ organizationId: this.organizationId, userId }, { userNameKey: `deleted ${userId}` });
  }

  async hide(userId: string): Promise<void> {
    await this.rows.update({ organizationId: this.organizationId, userId }, { deletedAt: new Date() });
  }
}

/** Members whom the directory of an organization provisions, deleted ones only where they are asked for. */
@Injectable()
export class ScimUserRepository extends tenantRepository(ScimUserEntity, () => ScimUserScope) {}
