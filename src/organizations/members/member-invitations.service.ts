import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../infrastructure/database';
import type { InvitationState } from '../storage/member.entity';
import { MemberRepository } from '../storage/member.repository';

/** The invitation of a member: made, sent or failed. */
@Injectable()
export class MemberInvitations {
  constructor(private readonly members: MemberRepository) {}

  /** `problem`: why the e-mail could not be sent, in the words of the mail server. */
  async note(
    { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
    { state, problem = null }: { readonly state: InvitationState; readonly problem?: string | null },
    tx?: Transaction,
  ): Promise<void> {
    await this.members.within(organizationId, tx).noteInvitation(userId, state, problem);
  }

  /** Whether the e-mail still has to be sent. Locks the membership. */
  isSending({ organizationId, userId }: { organizationId: string; userId: string }, tx: Transaction): Promise<boolean> {
    return this.members.within(organizationId, tx).lockSending(userId);
  }

  /** Null when another e-mail may go to the person today, else the seconds until then. Counts it. */
  countMail(
    { organizationId, userId }: { organizationId: string; userId: string },
    mostPerDay: number,
    tx: Transaction,
  ): Promise<number | null> {
    return this.members.within(organizationId, tx).countInvitationMail(userId, mostPerDay);
  }

  /** Members whose e-mail still has to be sent. */
  waiting(): Promise<{ organizationId: string; userId: string }[]> {
    return this.members.invitationsToSend();
  }
}
