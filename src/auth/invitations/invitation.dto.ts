import { ApiProperty } from '@nestjs/swagger';
import { MayBeOmitted, OneOf } from '../../infrastructure/http';
import { MAIL_LANGUAGES, type MailLanguage } from '../../infrastructure/mail';

export class SignInLinkDto {
  /** Absolute where `PUBLIC_URL` is set, else a path on the service. */
  @ApiProperty({ example: 'https://bellwether.example.edu/sign-in/dCx7W1Bv6Kmvg7ig_JbbSfmFN8IWi2MUXvLhecumM-o' })
  url!: string;

  expires_at!: string;
}

export class InviteDto {
  /** Language of the e-mail; English when absent. */
  @MayBeOmitted() @OneOf(MAIL_LANGUAGES) language?: MailLanguage;
}
