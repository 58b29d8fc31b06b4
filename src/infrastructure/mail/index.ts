export { MailModule } from './mail.module';
export * from './mailer.service';
