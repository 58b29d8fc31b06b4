import { Injectable, Logger } from '@nestjs/common';
import { type ChangedEnding, OrganizationEndings } from '../../../organizations';
import { batches, type Transaction } from '../../../infrastructure/database';
import { JobQueue, type Queue, type RunningJob } from '../../../infrastructure/jobs';
import { MAIL_TIMEOUT_MS, MailError, Mailer } from '../../../infrastructure/mail';
import { NoticePeopleRepository } from './notice-people.repository';
import { noticeMail } from './notice-texts';

interface NoticeJob extends Omit<ChangedEnding, 'id'> {
  readonly organizationId: string;
  readonly userId: string;
  /** What is told: nothing, when the state has changed before the mail. */
  readonly hasEnded: boolean;
}

/** Retries after about 1, 2, 4, 8 and 16 minutes. One mail at a time: servers limit their rate. */
const QUEUE: Queue<NoticeJob> = {
  name: 'organization-notices',
  concurrency: 1,
  retries: 5,
  retryDelay: 60,
  timeoutMs: 2 * MAIL_TIMEOUT_MS,
};
const BATCH = 1_000;

/** Tells members by e-mail that their organization has ended or is back, where a mail server is configured. */
@Injectable()
export class EndingNotices {
  private readonly log = new Logger('OrganizationNotices');

  constructor(
    private readonly people: NoticePeopleRepository,
    private readonly mailer: Mailer,
    private readonly jobs: JobQueue,
    endings: OrganizationEndings,
  ) {
    jobs.declare(QUEUE, (job) => this.send(job));
    endings.onChange((change, tx) => this.plan(change, tx));
  }

  private async plan({ id: organizationId, hasEnded, language }: ChangedEnding, tx: Transaction): Promise<void> {
    if (!this.mailer.isConfigured) return;
    const members = await this.people.members(organizationId, tx);
    const jobs = members.map((userId) => ({
      key: `${organizationId}/${userId}/${hasEnded ? 'ended' : 'restored'}`,
      data: { organizationId, userId, hasEnded, language },
    }));
    for (const batch of batches(jobs, BATCH)) await this.jobs.send(QUEUE, batch, tx);
  }

  private async send({ data, lastTry }: RunningJob<NoticeJob>): Promise<void> {
    const { organizationId, userId, hasEnded, language } = data;
    const person = await this.people.find(organizationId, userId);
    if (person === null || (person.eraseAfter !== null) !== hasEnded) return;
    try {
      await this.mailer.send(noticeMail(language, { ...person, to: person.email }));
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      const isOver = error.permanent || lastTry;
      this.log.warn({ msg: 'a member was not told by e-mail', reason: error.message, triedAgain: !isOver });
      if (!isOver) throw error;
    }
  }
}
