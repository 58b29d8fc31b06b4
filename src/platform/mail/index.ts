export { type Mail, MailError } from './mail.types';
export { MailModule } from './mail.module';
export { MAIL_TIMEOUT_MS, Mailer } from './mailer.service';
