export { MailModule } from './mail.module';
export {
  MAIL_LANGUAGES,
  MAIL_TIMEOUT_MS,
  type Mail,
  MailError,
  type MailLanguage,
  Mailer,
  mailDate,
  writtenMail,
} from './mailer.service';
