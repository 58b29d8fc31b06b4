import { Injectable, Logger } from '@nestjs/common';
import { type Transaction, batches } from '../../infrastructure/database';
import { JobQueue, type Queue, type RunningJob } from '../../infrastructure/jobs';
import {
  MAIL_TIMEOUT_MS,
  type Mail,
  MailError,
  type MailLanguage,
  Mailer,
  mailDate,
  writtenMail,
} from '../../infrastructure/mail';
import { type ChangedEnding, OrganizationEndings } from '../../organizations';
import { NoticePeopleRepository } from './notice-people.repository';

interface NoticeFacts {
  readonly to: string;
  readonly name: string;
  readonly organization: string;
  /** Null for an organization that was restored. */
  readonly eraseAfter: Date | null;
}

interface Texts {
  readonly greeting: (name: string) => string;
  readonly endedSubject: (organization: string) => string;
  readonly ended: (organization: string) => string;
  readonly erased: (date: string) => string;
  readonly remedy: string;
  readonly restoredSubject: (organization: string) => string;
  readonly restored: (organization: string) => string;
}

const TEXTS: Readonly<Record<MailLanguage, Texts>> = {
  en: {
    greeting: (name) => `Hello ${name},`,
    endedSubject: (organization) => `${organization} has ended its learning assistants`,
    ended: (organization) =>
      `${organization} does not offer its learning assistants here any more. You cannot sign in, and the assistants do not answer.`,
    erased: (date) => `On ${date} your conversations, assistants, documents and your account there are deleted.`,
    remedy: 'Until then everything can be restored. If you need your data, write to your institution before that day.',
    restoredSubject: (organization) => `The learning assistants of ${organization} are back`,
    restored: (organization) =>
      `The learning assistants of ${organization} work again. Nothing was deleted, and you can sign in as before.`,
  },
  es: {
    greeting: (name) => `Hola, ${name}:`,
    endedSubject: (organization) => `${organization} cierra sus asistentes de aprendizaje`,
    ended: (organization) =>
      `${organization} ya no ofrece aquí sus asistentes de aprendizaje. No puede iniciar sesión y los asistentes no responden.`,
    erased: (date) => `El ${date} se borrarán sus conversaciones, asistentes y documentos, y también su cuenta allí.`,
    remedy: 'Hasta entonces todo se puede recuperar. Si necesita sus datos, escriba a su institución antes de ese día.',
    restoredSubject: (organization) => `Los asistentes de aprendizaje de ${organization} han vuelto`,
    restored: (organization) =>
      `Los asistentes de aprendizaje de ${organization} funcionan de nuevo. No se borró nada y puede iniciar sesión como antes.`,
  },
  ca: {
    greeting: (name) => `Hola, ${name}:`,
    endedSubject: (organization) => `${organization} tanca els seus assistents d’aprenentatge`,
    ended: (organization) =>
      `${organization} ja no ofereix aquí els seus assistents d’aprenentatge. No podeu iniciar la sessió i els assistents no responen.`,
    erased: (date) =>
      `El ${date} s’esborraran les vostres converses, assistents i documents, i també el vostre compte allà.`,
    remedy:
      'Fins aleshores tot es pot recuperar. Si necessiteu les vostres dades, escriviu a la vostra institució abans d’aquell dia.',
    restoredSubject: (organization) => `Els assistents d’aprenentatge de ${organization} han tornat`,
    restored: (organization) =>
      `Els assistents d’aprenentatge de ${organization} tornen a funcionar. No s’ha esborrat res i podeu iniciar la sessió com abans.`,
  },
  eu: {
    greeting: (name) => `Kaixo, ${name}:`,
    endedSubject: (organization) => `Ikasketa-laguntzaileen amaiera: ${organization}`,
    ended: (organization) =>
      `Erakunde honek ez ditu gehiago hemen bere ikasketa-laguntzaileak eskaintzen: ${organization}. Ezin duzu saiorik hasi, eta laguntzaileek ez dute erantzuten.`,
    erased: (date) =>
      `Data honetan zure elkarrizketak, laguntzaileak, dokumentuak eta hango kontua ezabatuko dira: ${date}.`,
    remedy:
      'Ordura arte dena berreskura daiteke. Zure datuak behar badituzu, idatzi zure erakundeari egun hori baino lehen.',
    restoredSubject: (organization) => `Ikasketa-laguntzaileak berriro martxan: ${organization}`,
    restored: (organization) =>
      `Erakunde honen ikasketa-laguntzaileak berriro dabiltza: ${organization}. Ez da ezer ezabatu, eta lehen bezala has dezakezu saioa.`,
  },
};

/** Tells a member that the organization has ended, or is back. */
function noticeMail(language: MailLanguage, { to, name, organization, eraseAfter }: NoticeFacts): Mail {
  const texts = TEXTS[language];
  const [subject, parts] =
    eraseAfter === null
      ? [texts.restoredSubject, [texts.restored(organization)]]
      : [texts.endedSubject, [texts.ended(organization), texts.erased(mailDate(language, eraseAfter)), texts.remedy]];
  return writtenMail({ to, subject: subject(organization), language, parts: [texts.greeting(name), ...parts] });
}

interface NoticeJob extends Omit<ChangedEnding, 'id'> {
  readonly organizationId: string;
  readonly userId: string;
  /** State that the mail tells of. No mail is sent when it has changed before. */
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
