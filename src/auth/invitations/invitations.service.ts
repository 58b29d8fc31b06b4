import { Injectable } from '@nestjs/common';
import { AppError, type Caller } from '../../kernel';
import { MemberInvitations } from '../../organizations';
import { AuditLog } from '../../platform/audit';
import { Transactions } from '../../platform/database';
import { JobQueue } from '../../platform/jobs';
import { Mailer } from '../../platform/mail';
import type { Invitable } from './invitable-members.service';
import { INVITATION_MAIL, invitationKey } from './invitation-mail.service';
import type { MailLanguage } from './invitation-texts';

/** Invitations by e-mail: recorded at once, sent by a job. */
@Injectable()
export class Invitations {
  constructor(
    private readonly invitations: MemberInvitations,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly jobs: JobQueue,
    private readonly mailer: Mailer,
  ) {}

  /** @throws {AppError} `feature_disabled` without a mail server */
  async send(caller: Caller, { organizationId, member }: Invitable, language: MailLanguage): Promise<void> {
    if (!this.mailer.isConfigured) {
      throw new AppError('feature_disabled', 'The service sends no e-mail: SMTP_URL is not set');
    }
    const { userId } = member;
    const subject = { organizationId, userId };
    await this.transactions.run(async (tx) => {
      await this.invitations.note(subject, { state: 'sending' }, tx);
      const target = { type: 'member', id: userId };
      await this.audit.record({ caller, organizationId, action: 'member.invite', target, after: { language } }, tx);
      await this.jobs.send(INVITATION_MAIL, [{ key: invitationKey(subject), data: { ...subject, language } }], tx);
    });
    this.jobs.wake(INVITATION_MAIL);
  }
}
