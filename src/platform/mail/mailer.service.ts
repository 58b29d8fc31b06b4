import { Inject, Injectable } from '@nestjs/common';
import { createTransport, type Transporter } from 'nodemailer';
import { CONFIG, type Config } from '../config';
import { type Mail, MailError } from './mail.types';

/** Milliseconds for one mail, from the connection to the last answer. */
export const MAIL_TIMEOUT_MS = 60_000;
const LONGEST_MESSAGE = 300;

/** Sends mail through the server that `SMTP_URL` names. */
@Injectable()
export class Mailer {
  private readonly transport: Transporter | null;
  private readonly from: string;

  constructor(@Inject(CONFIG) { mail }: Config) {
    this.from = mail.from ?? '';
    this.transport =
      mail.smtpUrl === null
        ? null
        : createTransport({
            url: mail.smtpUrl,
            connectionTimeout: MAIL_TIMEOUT_MS / 6,
            greetingTimeout: MAIL_TIMEOUT_MS / 6,
            socketTimeout: MAIL_TIMEOUT_MS / 2,
            // The text comes from here: no part of it is read from a file or an address.
            disableFileAccess: true,
            disableUrlAccess: true,
          });
  }

  get isConfigured(): boolean {
    return this.transport !== null;
  }

  /** Resolves when the server has taken the mail. `to` is one address, whatever it holds. @throws {MailError} */
  async send({ to, ...mail }: Mail): Promise<void> {
    if (this.transport === null) throw new MailError('No mail server is configured', true);
    try {
      await this.transport.sendMail({ ...mail, to: { name: '', address: to }, from: this.from });
    } catch (error) {
      throw mailErrorOf(error);
    }
  }
}

/** SMTP (RFC 5321, 4.2.1): 5yz is a permanent negative answer, 4yz a transient one. */
function mailErrorOf(error: unknown): MailError {
  const { message = 'unknown error', responseCode = 0 } = error as { message?: string; responseCode?: number };
  return new MailError(message.replace(/\s+/g, ' ').slice(0, LONGEST_MESSAGE), responseCode >= 500);
}
