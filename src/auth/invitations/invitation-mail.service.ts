import { Injectable, Logger } from '@nestjs/common';
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
import { MemberInvitations, MembersService, OrganizationsService } from '../../organizations';
import { SignInLinksOfMembers } from './sign-in-links-of-members.service';

interface InvitationFacts {
  readonly to: string;
  readonly name: string;
  readonly organization: string;
  readonly url: string;
  readonly expiresAt: Date;
}

interface Texts {
  readonly subject: (organization: string) => string;
  readonly greeting: (name: string) => string;
  readonly invited: (organization: string) => string;
  readonly open: string;
  readonly action: string;
  readonly rules: (until: string) => string;
  readonly mistake: string;
}

const TEXTS: Readonly<Record<MailLanguage, Texts>> = {
  en: {
    subject: (organization) => `Invitation to ${organization}`,
    greeting: (name) => `Hello ${name},`,
    invited: (organization) => `You can now use the learning assistants of ${organization}.`,
    open: 'Open this link to sign in:',
    action: 'Sign in',
    rules: (until) => `The link works once, until ${until}. Do not pass it on: it signs in as you.`,
    mistake: 'If you did not expect this e-mail, ignore it.',
  },
  es: {
    subject: (organization) => `Invitación a ${organization}`,
    greeting: (name) => `Hola, ${name}:`,
    invited: (organization) => `Ya puede usar los asistentes de aprendizaje de ${organization}.`,
    open: 'Abra este enlace para iniciar sesión:',
    action: 'Iniciar sesión',
    rules: (until) =>
      `El enlace funciona una sola vez, hasta el ${until}. No lo comparta: inicia sesión con su nombre.`,
    mistake: 'Si no esperaba este correo, ignórelo.',
  },
  ca: {
    subject: (organization) => `Invitació a ${organization}`,
    greeting: (name) => `Hola, ${name}:`,
    invited: (organization) => `Ja podeu fer servir els assistents d’aprenentatge de ${organization}.`,
    open: 'Obriu aquest enllaç per iniciar la sessió:',
    action: 'Inicia la sessió',
    rules: (until) =>
      `L’enllaç funciona una sola vegada, fins al ${until}. No el compartiu: inicia la sessió amb el vostre nom.`,
    mistake: 'Si no esperàveu aquest correu, ignoreu-lo.',
  },
  eu: {
    subject: (organization) => `Gonbidapena: ${organization}`,
    greeting: (name) => `Kaixo, ${name}:`,
    invited: (organization) => `Orain erakunde honen ikasketa-laguntzaileak erabil ditzakezu: ${organization}.`,
    open: 'Ireki esteka hau saioa hasteko:',
    action: 'Hasi saioa',
    rules: (until) =>
      `Estekak behin bakarrik balio du, data honetara arte: ${until}. Ez partekatu: zure izenean hasten du saioa.`,
    mistake: 'Mezu hau espero ez bazenuen, ez egin kasurik.',
  },
};

function invitationMail(language: MailLanguage, facts: InvitationFacts): Mail {
  const { to, name, organization, url, expiresAt } = facts;
  const { subject, greeting, invited, open, action, rules, mistake } = TEXTS[language];
  const link = { intro: open, label: action, url };
  const parts = [greeting(name), invited(organization), link, rules(mailDate(language, expiresAt)), mistake];
  return writtenMail({ to, subject: subject(organization), language, parts });
}

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
    private readonly links: SignInLinksOfMembers,
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
