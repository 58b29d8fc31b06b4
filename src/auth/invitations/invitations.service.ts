import { AppError, type Caller } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { MOST_MAILS_PER_DAY, MemberInvitations } from '../../organizations';
import { AuditLog } from '../../infrastructure/audit';
import { Transactions } from '../../infrastructure/database';
import { JobQueue } from '../../infrastructure/jobs';
import { Mailer, type MailLanguage } from '../../infrastructure/mail';
import type { Invitable } from './invitable-members.service';
import { INVITATION_MAIL, invitationKey } from './invitation-mail.service';

const tooManyMails = (retryAfter: number): AppError =>
  new AppError('too_many_requests', `This person has had ${MOST_MAILS_PER_DAY} e-mails within a day`, {
    reason: 'invitation.too_many',
    values: { limit: MOST_MAILS_PER_DAY },
    retryAfter,
  });

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

  /** @throws {AppError} `feature_disabled` without a mail server, `too_many_requests` */
  async send(caller: Caller, { organizationId, member }: Invitable, language: MailLanguage): Promise<void> {
    if (!this.mailer.isConfigured) {
      throw new AppError('feature_disabled', 'The service sends no e-mail: SMTP_URL is not set', {
        reason: 'invitation.no_mail',
      });
    }
    const { userId } = member;
    const subject = { organizationId, userId };
    const by = caller.organizationId === organizationId ? { by: caller.userId } : {};
    await this.transactions.run(async (tx) => {
      const retryAfter = await this.invitations.countMail(subject, tx);
      if (retryAfter !== null) throw tooManyMails(retryAfter);
      await this.invitations.note(subject, { state: 'sending' }, tx);
      const target = { type: 'member', id: userId };
      await this.audit.record({ caller, organizationId, action: 'member.invite', target, after: { language } }, tx);
      await this.jobs.send(
        INVITATION_MAIL,
        [{ key: invitationKey(subject), data: { ...subject, ...by, language } }],
        tx,
      );
    });
    this.jobs.wake(INVITATION_MAIL);
  }
}
