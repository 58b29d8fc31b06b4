import type { Caller } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { MemberInvitations } from '../../organizations';
import { CONFIG, type Config } from '../../infrastructure/config';
import { type Transaction, Transactions } from '../../infrastructure/database';
import { SignInLinks } from '../sign-in/sign-in-links.service';
import type { Invitable } from './invitable-members.service';
import type { SignInLinkDto } from './invitation.dto';

interface Subject {
  readonly organizationId: string;
  readonly userId: string;
}

/** Sign-in links of members, which end the earlier ones. */
@Injectable()
export class SignInLinksOfMembers {
  private readonly base: string;

  constructor(
    private readonly links: SignInLinks,
    private readonly invitations: MemberInvitations,
    private readonly transactions: Transactions,
    @Inject(CONFIG) { http }: Config,
  ) {
    this.base = http.publicUrl ?? '';
  }

  /** Cancels an e-mail that waits: its link would end this one. */
  make(caller: Caller, { organizationId, member }: Invitable): Promise<SignInLinkDto> {
    const subject = { organizationId, userId: member.userId };
    return this.transactions.run(async (tx) => {
      await this.invitations.note(subject, { state: 'link' }, tx);
      return this.issue(caller, subject, tx, caller.userId);
    });
  }

  /** Null when the e-mail is obsolete, because the member has a newer link. */
  makeForMail(subject: Subject, madeBy: string | null): Promise<SignInLinkDto | null> {
    return this.transactions.run(async (tx) =>
      (await this.invitations.isSending(subject, tx)) ? this.issue(null, subject, tx, madeBy) : null,
    );
  }

  private async issue(
    caller: Caller | null,
    subject: Subject,
    tx: Transaction,
    madeBy: string | null,
  ): Promise<SignInLinkDto> {
    const { path, expiresAt } = await this.links.issue(caller, { ...subject, madeBy }, tx);
    return { url: this.base + path, expires_at: expiresAt.toISOString() };
  }
}
