export { type Mail, MailError } from './mail.types';
export { MailModule } from './mail.module';
export { MAIL_TIMEOUT_MS, Mailer } from './mailer.service';
export { MAIL_LANGUAGES, mailDate, type MailLanguage, writtenMail } from './written-mail';
