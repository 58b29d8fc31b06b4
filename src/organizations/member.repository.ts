import { isUuid, type Role, undatedUuid } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, Not, type SelectQueryBuilder } from 'typeorm';
import { AcrossOrganizations, type Transaction } from '../infrastructure/database';
import { type ChecklistAnswers, type InvitationState, MemberEntity } from './member.entity';
import { UserEntity } from './user.entity';

export interface MemberRow {
  readonly organizationId: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly disabled: boolean;
  /** Always false outside the system organization. */
  readonly systemAdmin: boolean;
  readonly createdAt: Date;
  /** Null before the first session of a browser. */
  readonly firstSignedInAt: Date | null;
  readonly invitedAt: Date | null;
  readonly invitation: InvitationState | null;
  readonly invitationProblem: string | null;
  readonly checklist: ChecklistAnswers;
}

export interface PersonRow {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
}

/** A window of a day begins with its first e-mail. A select around the update: its rows are returned as they are. */
const COUNT_MAIL = `
  WITH counted AS (
    UPDATE users SET
      invitation_mails = CASE WHEN invitation_mails_since > now() - interval '1 day' THEN invitation_mails + 1 ELSE 1 END,
      invitation_mails_since =
        CASE WHEN invitation_mails_since > now() - interval '1 day' THEN invitation_mails_since ELSE now() END
    WHERE id = $1 AND (invitation_mails < $2 OR invitation_mails_since IS NULL
                       OR invitation_mails_since <= now() - interval '1 day')
    RETURNING id
  )
  SELECT id FROM counted`;

const MAIL_DAY_LEFT = `
  SELECT ceil(extract(epoch FROM invitation_mails_since + interval '1 day' - now()))::int AS seconds
  FROM users WHERE id = $1`;

/**
 * SQL: the identity `i` made the account of its person in the organization, for both are rows of one transaction, and no
 * directory provisions the member.
 */
export const madeAccountIn = (organization: string): string => `EXISTS (
  SELECT FROM members m
   WHERE m.organization_id = ${organization} AND m.user_id = i.user_id AND m.created_at = i.created_at
     AND NOT EXISTS (
       SELECT FROM scim_users s
        WHERE s.organization_id = ${organization} AND s.user_id = i.user_id AND s.deleted_at IS NULL))`;

@Injectable()
export class MemberRepository {
  constructor(private readonly dataSource: DataSource) {}

  within(organizationId: string, tx?: Transaction): MemberScope {
    return new MemberScope(tx ?? this.dataSource.manager, organizationId);
  }

  /** The person with the address, of any organization. */
  @AcrossOrganizations('directory')
  async personWith(email: string, tx: Transaction): Promise<string | null> {
    return (await tx.getRepository(UserEntity).findOneBy({ email: email.trim().toLowerCase() }))?.id ?? null;
  }

  /** People by id with their addresses; the name is null outside the organization. */
  people(organizationId: string, ids: readonly string[]): Promise<PersonRow[]> {
    return this.dataSource
      .getRepository(UserEntity)
      .createQueryBuilder('person')
      .leftJoin(MemberEntity, 'member', 'member.user_id = person.id AND member.organization_id = :organizationId')
      .select('person.id', 'id')
      .addSelect('person.email', 'email')
      .addSelect('member.name', 'name')
      .where('person.id = ANY (:ids)', { ids })
      .setParameter('organizationId', organizationId)
      .getRawMany<PersonRow>();
  }

  /** Whether the person is a member of no other organization. */
  @AcrossOrganizations('directory')
  async isOnlyIn(organizationId: string, userId: string, tx: Transaction): Promise<boolean> {
    return !(await tx.getRepository(MemberEntity).existsBy({ userId, organizationId: Not(organizationId) }));
  }

  /** Unsent invitations of every organization, for the sweep of lost jobs. */
  async invitationsToSend(): Promise<{ organizationId: string; userId: string }[]> {
    return this.dataSource.query(
      `SELECT organization_id AS "organizationId", user_id AS "userId" FROM members WHERE invitation = 'sending'`,
    );
  }

  /** Changes the address of a person everywhere. */
  @AcrossOrganizations('directory')
  async readdress(userId: string, email: string, tx: Transaction): Promise<void> {
    await tx.getRepository(UserEntity).update({ id: userId }, { email: email.trim().toLowerCase() });
  }

  /**
   * False for system administrators, and for a person who is no member any more: their address may have been given to
   * somebody else.
   */
  @AcrossOrganizations('directory')
  async mayBeLinked(userId: string, tx: Transaction): Promise<boolean> {
    const isMember = await tx.getRepository(MemberEntity).existsBy({ userId, disabled: false });
    return isMember && !(await this.isSystemAdmin(userId, tx));
  }

  @AcrossOrganizations('directory')
  isSystemAdmin(userId: string, tx: Transaction): Promise<boolean> {
    return tx.getRepository(UserEntity).existsBy({ id: userId, systemAdmin: true });
  }

  /** Whether the person is a system administrator or owns an organization. */
  @AcrossOrganizations('directory')
  async isPowerful(userId: string, tx: Transaction): Promise<boolean> {
    const [owns, administers] = await Promise.all([
      tx.getRepository(MemberEntity).existsBy({ userId, role: 'owner' }),
      this.isSystemAdmin(userId, tx),
    ]);
    return owns || administers;
  }
}

export class MemberScope {
  constructor(
    private readonly manager: Transaction,
    private readonly organizationId: string,
  ) {
    if (!organizationId) throw new Error('A member scope needs an organization');
  }

  async find(userIdOrEmail: string): Promise<MemberRow | null> {
    const [column, value] = isUuid(userIdOrEmail)
      ? ['member.user_id', userIdOrEmail]
      : ['person.email', userIdOrEmail.trim().toLowerCase()];
    const [row] = await this.select().andWhere(`${column} = :value`, { value }).getRawMany<MemberRow>();
    return row ?? null;
  }

  findAll(userIds: readonly string[]): Promise<MemberRow[]> {
    return this.select().andWhere('member.user_id = ANY (:userIds)', { userIds }).getRawMany<MemberRow>();
  }

  async list(limit: number, after: string | null): Promise<[MemberRow[], number]> {
    const page = this.select().orderBy('person.email', 'ASC').limit(limit);
    if (after !== null) page.andWhere('person.email > :after', { after });
    const total = this.manager.getRepository(MemberEntity).countBy({ organizationId: this.organizationId });
    return Promise.all([page.getRawMany<MemberRow>(), total]);
  }

  /** Enabled owners other than the given person. */
  otherOwners(userId: string): Promise<number> {
    return this.select()
      .andWhere(`member.role = 'owner' AND NOT member.disabled AND member.user_id <> :userId`, { userId })
      .getCount();
  }

  /** Enabled system administrators other than the given person. */
  otherSystemAdmins(userId: string): Promise<number> {
    return this.select()
      .andWhere('person.system_admin AND NOT member.disabled AND member.user_id <> :userId', { userId })
      .getCount();
  }

  /** Enabled system administrator with the oldest membership. */
  async firstSystemAdmin(): Promise<MemberRow | null> {
    const [row] = await this.select()
      .andWhere('person.system_admin AND NOT member.disabled')
      .orderBy('member.created_at', 'ASC')
      .limit(1)
      .getRawMany<MemberRow>();
    return row ?? null;
  }

  /** Makes the membership, and the person for a new address. @returns the id of the person */
  async add(values: { email: string; name: string; role: Role; systemAdmin?: boolean }): Promise<string> {
    const userId = await this.person(values);
    await this.admit(userId, values);
    return userId;
  }

  /** Makes the membership of a person who is there. */
  async admit(userId: string, { name, role }: { name: string; role: Role }): Promise<void> {
    const { organizationId } = this;
    await this.manager.getRepository(MemberEntity).insert({ organizationId, userId, name, role });
  }

  async update(userId: string, changes: { name?: string; role?: Role; disabled?: boolean }): Promise<void> {
    await this.manager.getRepository(MemberEntity).update({ organizationId: this.organizationId, userId }, changes);
  }

  /** Does not change `updated_at`: a directory reads it as the version of the person. */
  async noteInvitation(userId: string, state: InvitationState, problem: string | null): Promise<void> {
    await this.manager.query(
      `UPDATE members SET invitation = $3, invitation_problem = $4,
              invited_at = CASE WHEN $3 IN ('link', 'sending') AND $4::text IS NULL THEN now() ELSE invited_at END
        WHERE organization_id = $1 AND user_id = $2`,
      [this.organizationId, userId, state, problem],
    );
  }

  async lockSending(userId: string): Promise<boolean> {
    const rows = await this.manager.query<unknown[]>(
      `SELECT FROM members WHERE organization_id = $1 AND user_id = $2 AND invitation = 'sending' FOR UPDATE`,
      [this.organizationId, userId],
    );
    return rows.length === 1;
  }

  /** Counts an e-mail to the person. Null when it may be sent, else the seconds until the next one may. */
  @AcrossOrganizations('directory')
  async countInvitationMail(userId: string, mostPerDay: number): Promise<number | null> {
    const counted = await this.manager.query<unknown[]>(COUNT_MAIL, [userId, mostPerDay]);
    if (counted.length > 0) return null;
    const [left] = await this.manager.query<{ seconds: number }[]>(MAIL_DAY_LEFT, [userId]);
    return Math.max(1, left?.seconds ?? 1);
  }

  async noteChecklist(userId: string, answers: ChecklistAnswers): Promise<void> {
    await this.manager.query(
      'UPDATE members SET checklist = checklist || $3::jsonb WHERE organization_id = $1 AND user_id = $2',
      [this.organizationId, userId, JSON.stringify(answers)],
    );
  }

  async remove(userId: string): Promise<void> {
    await this.manager.getRepository(MemberEntity).delete({ organizationId: this.organizationId, userId });
  }

  /** The address may belong to a person of other organizations, whom this one does not see. */
  @AcrossOrganizations('directory')
  private async person(values: { email: string; systemAdmin?: boolean }): Promise<string> {
    const email = values.email.trim().toLowerCase();
    const users = this.manager.getRepository(UserEntity);
    await users
      .createQueryBuilder()
      .insert()
      .values({ id: undatedUuid(), email, systemAdmin: values.systemAdmin ?? false })
      .orIgnore()
      .execute();
    return (await users.findOneByOrFail({ email })).id;
  }

  private select(): SelectQueryBuilder<MemberEntity> {
    return this.manager
      .getRepository(MemberEntity)
      .createQueryBuilder('member')
      .innerJoin('member.person', 'person')
      .innerJoin('member.organization', 'organization')
      .select('member.organization_id', 'organizationId')
      .addSelect('member.user_id', 'userId')
      .addSelect('person.email', 'email')
      .addSelect('member.name', 'name')
      .addSelect('member.role', 'role')
      .addSelect('member.disabled', 'disabled')
      .addSelect('person.system_admin AND organization.is_system', 'systemAdmin')
      .addSelect('member.created_at', 'createdAt')
      .addSelect('member.first_signed_in_at', 'firstSignedInAt')
      .addSelect('member.invited_at', 'invitedAt')
      .addSelect('member.invitation', 'invitation')
      .addSelect('member.invitation_problem', 'invitationProblem')
      .addSelect('member.checklist', 'checklist')
      .where('member.organization_id = :organizationId', { organizationId: this.organizationId });
  }
}
