import { Injectable } from '@nestjs/common';
import { type Caller, uuidv7 } from '../../kernel';
import { type Member, MembersService, OrganizationChanges } from '../../organizations';
import { AuditLog } from '../../platform/audit';
import { type Transaction, Transactions, withinOrganization } from '../../platform/database';
import { looksLikeSessionToken, newSessionToken, sessionHashOf } from '../sessions/session-token';
import { type ConsumedLink, type LinkedMember, SignInLinkRepository } from '../sessions/sign-in-link.repository';

export interface SignInLink {
  /** Path on the service, which signs in once before `expiresAt`. */
  readonly path: string;
  readonly expiresAt: Date;
}

export type MemberLink = ConsumedLink & Member;

/** Hours that a link of the operator works. */
const OPERATOR_HOURS = 1;
/** Hours that a link sent by mail or chat works: longer than a weekend. */
const MEMBER_HOURS = 72;

/** Single-use sign-in links: for a first start, and for people without a key. */
@Injectable()
export class SignInLinks {
  constructor(
    private readonly links: SignInLinkRepository,
    private readonly members: MembersService,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    changes: OrganizationChanges,
  ) {
    // A changed role needs a new link.
    changes.onMember(({ organizationId, userId }, tx) => links.removeOfMember({ organizationId, userId }, tx));
  }

  /** For commands and the start of the service. */
  make(member: LinkedMember): Promise<SignInLink> {
    const link = { ...member, hours: OPERATOR_HOURS, needsLocalSignIn: false };
    return withinOrganization(member.organizationId, () =>
      this.transactions.run(async (tx) => {
        const { token, expiresAt } = await this.insert(null, link, tx);
        return { path: `/sign-in/${token}`, expiresAt };
      }),
    );
  }

  /**
   * For a member, by `caller` or by the job that `caller` null stands for. Ends the earlier links of the member. The page
   * asks before it signs in: mail scanners and previews of chats open every address, and browsers keep the fragment to
   * themselves.
   */
  async issue(caller: Caller | null, member: LinkedMember, tx: Transaction): Promise<SignInLink> {
    await this.links.removeOfMember(member, tx);
    const link = { ...member, hours: MEMBER_HOURS, needsLocalSignIn: true };
    const { token, expiresAt } = await this.insert(caller, link, tx);
    return { path: `/sign-in#link=${token}`, expiresAt };
  }

  /** Uses the link up. Null for a used, expired or unknown link, or one of a disabled member. */
  async consume(token: string): Promise<MemberLink | null> {
    return looksLikeSessionToken(token) ? this.memberOf(await this.links.consume(sessionHashOf(token))) : null;
  }

  /** As `consume`, but does not use the link up. */
  async look(token: string): Promise<MemberLink | null> {
    return looksLikeSessionToken(token) ? this.memberOf(await this.links.find(sessionHashOf(token))) : null;
  }

  private async memberOf(linked: ConsumedLink | null): Promise<MemberLink | null> {
    if (linked === null) return null;
    const { organizationId, userId } = linked;
    const member = await withinOrganization(organizationId, () => this.members.find(organizationId, userId));
    return member === null || member.disabled ? null : { ...linked, ...member };
  }

  private async insert(
    caller: Caller | null,
    { organizationId, userId, ...link }: ConsumedLink & { readonly hours: number },
    tx: Transaction,
  ): Promise<{ readonly token: string; readonly expiresAt: Date }> {
    const token = newSessionToken();
    const id = uuidv7();
    const values = { ...link, id, organizationId, userId, hash: sessionHashOf(token) };
    const expiresAt = await this.links.insert(values, tx);
    const target = { type: 'sign_in_link', id };
    const after = { user_id: userId, expires_at: expiresAt.toISOString() };
    await this.audit.record({ caller, organizationId, action: 'sign_in_link.create', target, after }, tx);
    return { token, expiresAt };
  }
}
