import { AppError } from '@bellwether/kernel';
import { createHash } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../../infrastructure/config';
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
import { Transactions } from '../../infrastructure/database';
import { LinkRate } from './link-rate';
import { type AddressedLink, SignInLinks } from './sign-in-links.service';

interface Texts {
  readonly subject: string;
  readonly greeting: (name: string) => string;
  readonly open: (organization: string) => string;
  readonly action: string;
  readonly rules: (until: string) => string;
  readonly mistake: string;
}

const TEXTS: Readonly<Record<MailLanguage, Texts>> = {
  en: {
    subject: 'Your sign-in link',
    greeting: (name) => `Hello ${name},`,
    open: (organization) => `Open this link to sign in to ${organization}:`,
    action: 'Sign in',
    rules: (until) => `A link works once, until ${until}. Do not pass it on: it signs in as you.`,
    mistake: 'If you did not ask for it, ignore this e-mail: nobody gets in without it.',
  },
  es: {
    subject: 'Su enlace para iniciar sesión',
    greeting: (name) => `Hola, ${name}:`,
    open: (organization) => `Abra este enlace para iniciar sesión en ${organization}:`,
    action: 'Iniciar sesión',
    rules: (until) =>
      `Un enlace funciona una sola vez, hasta el ${until}. No lo comparta: inicia sesión con su nombre.`,
    mistake: 'Si no lo ha pedido, ignore este correo: sin él no entra nadie.',
  },
  ca: {
    subject: 'El vostre enllaç per iniciar la sessió',
    greeting: (name) => `Hola, ${name}:`,
    open: (organization) => `Obriu aquest enllaç per iniciar la sessió a ${organization}:`,
    action: 'Inicia la sessió',
    rules: (until) =>
      `Un enllaç funciona una sola vegada, fins al ${until}. No el compartiu: inicia la sessió amb el vostre nom.`,
    mistake: 'Si no l’heu demanat, ignoreu aquest correu: sense ell no hi entra ningú.',
  },
  eu: {
    subject: 'Saioa hasteko esteka',
    greeting: (name) => `Kaixo, ${name}:`,
    open: (organization) => `Ireki esteka hau saioa hasteko (${organization}):`,
    action: 'Hasi saioa',
    rules: (until) =>
      `Esteka batek behin bakarrik balio du, data honetara arte: ${until}. Ez partekatu: zure izenean hasten du saioa.`,
    mistake: 'Zuk eskatu ez baduzu, ez egin kasurik: mezu hau gabe ez da inor sartzen.',
  },
};

interface WrittenLink {
  readonly organization: string;
  readonly url: string;
  readonly expiresAt: Date;
}

function linkMail(
  language: MailLanguage,
  to: string,
  name: string,
  links: readonly [WrittenLink, ...WrittenLink[]],
): Mail {
  const { subject, greeting, open, action, rules, mistake } = TEXTS[language];
  const buttons = links.map(({ organization, url }) => ({ intro: open(organization), label: action, url }));
  const parts = [greeting(name), ...buttons, rules(mailDate(language, links[0].expiresAt)), mistake];
  return writtenMail({ to, subject, language, parts });
}

interface AskedLink {
  readonly email: string;
  readonly language: MailLanguage;
}

export const SIGN_IN_MAIL: Queue<AskedLink> = {
  name: 'sign-in-mail',
  concurrency: 2,
  retries: 1,
  retryDelay: 30,
  timeoutMs: 2 * MAIL_TIMEOUT_MS,
};

/**
 * Sends sign-in links to people who ask for one on the sign-in page. The answer is the same for an address that nobody
 * has, and comes before anybody is looked for.
 */
@Injectable()
export class SignInMail {
  private readonly log = new Logger('SignIn');
  private readonly base: string;
  private readonly rate = new LinkRate();

  constructor(
    private readonly links: SignInLinks,
    private readonly transactions: Transactions,
    private readonly mailer: Mailer,
    private readonly jobs: JobQueue,
    @Inject(CONFIG) { http }: Pick<Config, 'http'>,
  ) {
    this.base = http.publicUrl ?? '';
    jobs.declare(SIGN_IN_MAIL, (job) => this.run(job));
  }

  /** Whether the sign-in page offers it: a link in an e-mail needs the public address, too. */
  get isOffered(): boolean {
    return this.mailer.isConfigured && this.base !== '';
  }

  /** @throws {AppError} `feature_disabled` where no link can be sent, `too_many_requests` for an IP address */
  async ask({ email, language }: AskedLink, ip: string | null): Promise<void> {
    if (!this.isOffered) {
      throw new AppError('feature_disabled', 'The service sends no e-mail: SMTP_URL or PUBLIC_URL is not set');
    }
    this.rate.countNetwork(ip);
    const data = { email: email.trim().toLowerCase(), language };
    const key = keyOf(data.email);
    // Asking twice before the mail has left sends one.
    if ((await this.jobs.withoutJob(SIGN_IN_MAIL, [key])).length === 0) return;
    await this.transactions.run((tx) => this.jobs.send(SIGN_IN_MAIL, [{ key, data }], tx));
    this.jobs.wake(SIGN_IN_MAIL);
  }

  private async run({ data, lastTry }: RunningJob<AskedLink>): Promise<void> {
    try {
      await this.send(data, !lastTry);
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      const isOver = error.permanent || lastTry;
      this.log.warn({ msg: 'a sign-in link could not be sent', reason: error.message, triedAgain: !isOver });
      if (!isOver) throw error;
    }
  }

  /** The first try is counted: a mail server that is away must not use up a day. */
  private async send({ email, language }: AskedLink, isFirst: boolean): Promise<void> {
    const [first, ...others] = await this.links.issueTo(email, isFirst);
    if (first === undefined) return;
    const written = ({ organization, path, expiresAt }: AddressedLink) => ({
      organization,
      url: this.base + path,
      expiresAt,
    });
    await this.mailer.send(linkMail(language, email, first.name, [written(first), ...others.map(written)]));
  }
}

/** The address itself is in no key. */
const keyOf = (email: string): string => createHash('sha256').update(email).digest('base64url');
