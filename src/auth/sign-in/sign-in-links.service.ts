import { type Caller, uuidv7 } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../infrastructure/audit';
import { type Transaction, Transactions, withinOrganization } from '../../infrastructure/database';
import type { BellwetherRequest } from '../../infrastructure/http';
import { type Member, MemberInvitations, MembersService, OrganizationChanges } from '../../organizations';
import { type SessionCookie, looksLikeSessionToken, newSessionToken, sessionHashOf } from '../sessions/session-cookie';
import {
  type AddressedMember,
  type ConsumedLink,
  type LinkedMember,
  SignInLinkRepository,
} from '../sessions/sign-in-link.repository';
import type { SignInContext } from './sessions.service';

export const signInContextOf = (request: BellwetherRequest, cookie: SessionCookie): SignInContext => ({
  requestId: typeof request.id === 'string' ? request.id : null,
  ip: request.ip ?? null,
  replaces: cookie.tokenOf(request.headers),
});

export interface SignInLink {
  /** Path on the service, which signs in once before `expiresAt`. */
  readonly path: string;
  readonly expiresAt: Date;
}

/** A link for one of the memberships of an e-mail address. */
export type AddressedLink = AddressedMember & SignInLink;

export type MemberLink = ConsumedLink & Member;

/** Hours that a link works which is used at once: of a command, or asked for on the sign-in page. */
const SHORT_HOURS = 1;
/** Hours that a link works which somebody else sends: longer than a weekend. */
const INVITED_HOURS = 72;

/** The page that asks before it signs in. */
const pageOf = (token: string): string => `/sign-in#link=${token}`;

/** Single-use sign-in links: for a first start, and for people without a key. */
@Injectable()
export class SignInLinks {
  constructor(
    private readonly links: SignInLinkRepository,
    private readonly members: MembersService,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly invitations: MemberInvitations,
    changes: OrganizationChanges,
  ) {
    // A changed role needs a new link. Links that a former administrator made end with the rights to make them.
    changes.onMember(async ({ organizationId, userId }, tx) => {
      await links.removeOfMember({ organizationId, userId }, tx);
      await links.removeMadeBy({ organizationId, userId }, tx);
    });
  }

  /** Makes a link for commands and for the start of the service. */
  make(member: LinkedMember): Promise<SignInLink> {
    const link = { ...member, hours: SHORT_HOURS, needsLocalSignIn: false, madeBy: null };
    return withinOrganization(member.organizationId, () =>
      this.transactions.run(async (tx) => {
        const { token, expiresAt } = await this.insert(null, link, tx);
        return { path: `/sign-in/${token}`, expiresAt };
      }),
    );
  }

  /** Sign-in link for the administrator of a new installation; null once somebody has signed in. */
  async makeFirst(member: LinkedMember): Promise<SignInLink | null> {
    return (await this.links.hasSignIns()) ? null : this.make(member);
  }

  /**
   * Makes links for many members at the wish of the operator, all or none. Each ends the earlier links of its member.
   */
  makeAll(organizationId: string, userIds: readonly string[], hours: number): Promise<readonly SignInLink[]> {
    return withinOrganization(organizationId, () =>
      this.transactions.run(async (tx) => {
        const made: SignInLink[] = [];
        for (const userId of userIds) {
          await this.links.removeOfMember({ organizationId, userId }, tx);
          const link = { organizationId, userId, hours, needsLocalSignIn: false, madeBy: null };
          const { token, expiresAt } = await this.insert(null, link, tx);
          made.push({ path: pageOf(token), expiresAt });
        }
        return made;
      }),
    );
  }

  /**
   * Makes a link for a member; `caller` null stands for a job. Ends the earlier links of the member. The page asks
   * before it signs in: mail scanners and previews of chats open every address, and browsers keep the fragment to
   * themselves.
   */
  async issue(
    caller: Caller | null,
    { madeBy, ...member }: LinkedMember & { readonly madeBy: string | null },
    tx: Transaction,
  ): Promise<SignInLink> {
    await this.links.removeOfMember(member, tx);
    const link = { ...member, hours: INVITED_HOURS, needsLocalSignIn: true, madeBy };
    const { token, expiresAt } = await this.insert(caller, link, tx);
    return { path: pageOf(token), expiresAt };
  }

  /**
   * Makes links for the memberships of an e-mail address, to be sent to that address alone. They end in an hour and leave
   * other links as they are: anybody may ask for them. None for an unknown address, and when the person has had as many
   * e-mails today as one may have; a repetition is not counted.
   */
  async issueTo(email: string, isCounted: boolean): Promise<AddressedLink[]> {
    const made: AddressedLink[] = [];
    for (const member of await this.links.addressed(email)) {
      const { organizationId, userId } = member;
      const link = { organizationId, userId, hours: SHORT_HOURS, needsLocalSignIn: true, madeBy: null };
      const issued = await withinOrganization(organizationId, () =>
        this.transactions.run(async (tx) => {
          // One e-mail is counted once, whatever the number of links in it.
          const isFirst = made.length === 0;
          if (isCounted && isFirst && (await this.invitations.countMail(member, tx)) !== null) return null;
          return this.insert(null, link, tx);
        }),
      );
      if (issued === null) return [];
      made.push({ ...member, path: pageOf(issued.token), expiresAt: issued.expiresAt });
    }
    return made;
  }

  /** Uses the link up. Null for a used, expired or unknown link, or one of a disabled member. */
  async consume(token: string): Promise<MemberLink | null> {
    return looksLikeSessionToken(token) ? this.memberOf(await this.links.consume(sessionHashOf(token))) : null;
  }

  /** Finds the member of a link like `consume`, but does not use the link up. */
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
    { organizationId, userId, ...link }: ConsumedLink & { readonly hours: number; readonly madeBy: string | null },
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
