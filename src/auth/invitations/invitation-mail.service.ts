import { Injectable, Logger } from '@nestjs/common';
import { MemberInvitations, MembersService, OrganizationsService } from '../../organizations';
import { JobQueue, type Queue, type RunningJob } from '../../infrastructure/jobs';
import { MAIL_TIMEOUT_MS, MailError, Mailer, type MailLanguage } from '../../infrastructure/mail';
import { invitationMail } from './invitation-texts';
import { MemberLinks } from './member-links.service';

interface InvitationJob {
  readonly organizationId: string;
  readonly userId: string;
  readonly language: MailLanguage;
  /** Administrator of the organization who invited; absent for another one and in old jobs. */
  readonly by?: string;
}

/** Retries after about 30 s, 1, 2, 4 and 8 minutes: longer than a server restarts or greylists. */
export const INVITATION_MAIL: Queue<InvitationJob> = {
  name: 'invitation-mail',
  concurrency: 2,
  retries: 5,
  retryDelay: 30,
  timeoutMs: 2 * MAIL_TIMEOUT_MS,
};

const SWEEP_MS = 60_000;

export const invitationKey = ({ organizationId, userId }: Pick<InvitationJob, 'organizationId' | 'userId'>): string =>
  `${organizationId}/${userId}`;

/** Sends invitations. The link is made at each try, so that its token is never stored. */
@Injectable()
export class InvitationMail {
  private readonly log = new Logger('Invitations');

  constructor(
    private readonly links: MemberLinks,
    private readonly invitations: MemberInvitations,
    private readonly members: MembersService,
    private readonly organizations: OrganizationsService,
    private readonly mailer: Mailer,
    private readonly jobs: JobQueue,
  ) {
    jobs.declare(INVITATION_MAIL, (job) => this.run(job));
    jobs.sweep(SWEEP_MS, () => this.giveUpLost());
  }

  private async run({ data, lastTry }: RunningJob<InvitationJob>): Promise<void> {
    try {
      await this.send(data);
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      const isOver = error.permanent || lastTry;
      this.log.warn({ msg: 'an invitation could not be sent', reason: error.message, triedAgain: !isOver });
      await this.invitations.note(data, { state: isOver ? 'failed' : 'sending', problem: error.message });
      if (!isOver) throw error;
    }
  }

  private async send(data: InvitationJob): Promise<void> {
    const { organizationId, userId, language } = data;
    const member = await this.members.find(organizationId, userId);
    if (member === null || member.disabled) return;
    if (data.by !== undefined && !(await this.isMember(organizationId, data.by))) {
      await this.invitations.note(data, { state: 'failed', problem: 'The person who invited has left' });
      return;
    }
    const link = await this.links.makeForMail(data, data.by ?? null);
    if (link === null) return;
    const { name: organization } = await this.organizations.runtime(organizationId);
    const facts = { to: member.email, name: member.name, organization, url: link.url };
    await this.mailer.send(invitationMail(language, { ...facts, expiresAt: new Date(link.expires_at) }));
    await this.invitations.note(data, { state: 'sent' });
  }

  private async isMember(organizationId: string, userId: string): Promise<boolean> {
    const found = await this.members.find(organizationId, userId);
    return found !== null && !found.disabled;
  }

  /** A job is lost when its process died at the last try, or with a restored backup. */
  private async giveUpLost(): Promise<void> {
    const waiting = await this.invitations.waiting();
    const lost = new Set(await this.jobs.withoutJob(INVITATION_MAIL, waiting.map(invitationKey)));
    for (const subject of waiting) {
      if (!lost.has(invitationKey(subject))) continue;
      await this.invitations.note(subject, { state: 'failed', problem: 'The service stopped before it was sent' });
    }
  }
}
