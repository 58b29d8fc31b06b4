import { Inject, Injectable } from '@nestjs/common';
import type { Transporter } from 'nodemailer';
import { CONFIG, type Config } from '../config';

export interface Mail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A mail that the server did not take. `message` is in the server's words, for administrators. */
export class MailError extends Error {
  constructor(
    message: string,
    /** The server refuses this mail or these credentials: another try gives the same answer. */
    readonly permanent: boolean,
  ) {
    super(message);
    this.name = 'MailError';
  }
}

export const MAIL_LANGUAGES = ['en', 'es', 'ca', 'eu'] as const;
export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

/** A paragraph, or a link with its label. */
type MailPart = string | { readonly intro: string; readonly label: string; readonly url: string };

interface WrittenMail extends Pick<Mail, 'to' | 'subject'> {
  readonly language: MailLanguage;
  readonly parts: readonly MailPart[];
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
const paragraph = (text: string): string => `<p>${escaped(text)}</p>`;

function htmlOf(part: MailPart): string[] {
  if (typeof part === 'string') return [paragraph(part)];
  const { intro, label, url } = part;
  return [paragraph(intro), `<p><a href="${escaped(url)}">${escaped(label)}</a></p>`, paragraph(url)];
}

/** The same words as plain text and as HTML. */
export function writtenMail({ to, subject, language, parts }: WrittenMail): Mail {
  const text = parts.map((part) => (typeof part === 'string' ? part : `${part.intro}\n${part.url}`)).join('\n\n');
  const body = parts.flatMap(htmlOf).join('\n');
  return { to, subject, text, html: `<!doctype html><html lang="${language}"><body>${body}</body></html>` };
}

/** A moment in the words of the language. */
export function mailDate(language: MailLanguage, date: Date): string {
  const format = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  return `${new Intl.DateTimeFormat(language, format).format(date)} UTC`;
}

/** Milliseconds for one mail, from the connection to the last answer. */
export const MAIL_TIMEOUT_MS = 60_000;
const LONGEST_MESSAGE = 300;

/** Sends mail through the server that `SMTP_URL` names. */
@Injectable()
export class Mailer {
  private readonly smtpUrl: string | null;
  private transport: Promise<Transporter> | null = null;
  private readonly from: string;
  private readonly secrets: readonly string[];

  constructor(@Inject(CONFIG) { mail }: Config) {
    this.from = mail.from ?? '';
    this.secrets = mail.smtpUrl === null ? [] : secretsIn(mail.smtpUrl);
    this.smtpUrl = mail.smtpUrl;
  }

  get isConfigured(): boolean {
    return this.smtpUrl !== null;
  }

  /** Resolves when the server has taken the mail. `to` is one address, whatever it holds. @throws {MailError} */
  async send({ to, ...mail }: Mail): Promise<void> {
    if (this.smtpUrl === null) throw new MailError('No mail server is configured', true);
    this.transport ??= transportTo(this.smtpUrl);
    try {
      const transport = await this.transport;
      await transport.sendMail({ ...mail, to: { name: '', address: to }, from: this.from });
    } catch (error) {
      throw mailErrorOf(error, this.secrets);
    }
  }
}

/** Loaded with the first mail: most services that start send none. */
async function transportTo(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url,
    requireTLS: requiresTls(url),
    connectionTimeout: MAIL_TIMEOUT_MS / 6,
    greetingTimeout: MAIL_TIMEOUT_MS / 6,
    socketTimeout: MAIL_TIMEOUT_MS / 2,
    // The text comes from here: no part of it is read from a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** STARTTLS is required (RFC 8314, 4.1) unless the URL has `requireTLS=false` or `ignoreTLS=true`. */
function requiresTls(smtpUrl: string): boolean {
  const { searchParams } = new URL(smtpUrl);
  return searchParams.get('requireTLS') !== 'false' && searchParams.get('ignoreTLS') !== 'true';
}

function secretsIn(smtpUrl: string): string[] {
  const { username, password, hostname } = new URL(smtpUrl);
  return [decodeURIComponent(password), decodeURIComponent(username), hostname].filter((secret) => secret !== '');
}

interface SmtpFailure {
  readonly code?: string;
  /** The server's answer, with its code. */
  readonly response?: string;
  readonly responseCode?: number;
}

/** Failures of the connection, whose messages hold addresses. */
const CONNECTION: Readonly<Record<string, string>> = {
  EAUTH: 'The mail server refused the user name or the password',
  ETLS: 'The mail server offers no encrypted connection',
};
const UNREACHABLE = 'The mail server cannot be reached';
const HOST_OR_IP =
  /\b(?<!@)(?:[a-z\d-]+\.)+(?:[a-z]{2,}|\d{1,3}(?=\.?\b))\b|\[?(?<![\da-f])[\da-f]*:[\da-f:]+:[\da-f]*\]?/gi;

/** SMTP (RFC 5321, 4.2.1): 5yz is a permanent negative answer, 4yz a transient one. */
function mailErrorOf(error: unknown, secrets: readonly string[]): MailError {
  const { code = '', response, responseCode = 0 } = error as SmtpFailure;
  const isPermanent = responseCode >= 500 || code === 'ETLS';
  const known = CONNECTION[code];
  if (known !== undefined || response === undefined) return new MailError(known ?? UNREACHABLE, isPermanent);
  return new MailError(withoutPlaces(response, secrets).slice(0, LONGEST_MESSAGE), isPermanent);
}

/** The server's words without the names and addresses of machines, user names and passwords. Status codes stay. */
function withoutPlaces(response: string, secrets: readonly string[]): string {
  const open = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), response);
  return open.replace(/\s+/g, ' ').replace(HOST_OR_IP, (found) => (/^\d\.\d{1,3}\.\d{1,3}$/.test(found) ? found : '…'));
}
