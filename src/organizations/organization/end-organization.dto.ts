import { Type } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';
import { MAIL_LANGUAGES, type MailLanguage } from '../../infrastructure/mail';
import { OneOf } from '../../infrastructure/http';

export const GRACE_DAYS = { least: 1, usual: 30, most: 365 } as const;

/** The members get a notice by e-mail, where the service sends mail. */
export class NoticeDto {
  /** Language of the notice to the members. */
  @OneOf(MAIL_LANGUAGES, { required: false, default: 'en' }) language: MailLanguage = 'en';
}

export class EndOrganizationDto extends NoticeDto {
  /** Days in which the organization can be restored. */
  @Type(() => Number)
  @IsInt()
  @Min(GRACE_DAYS.least)
  @Max(GRACE_DAYS.most)
  grace_days: number = GRACE_DAYS.usual;
}
