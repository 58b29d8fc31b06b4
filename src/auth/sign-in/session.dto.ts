import { ApiProperty } from '@nestjs/swagger';
import { IsFQDN, Matches, MaxLength } from 'class-validator';
import { MeDto } from '../api-key.dto';
import { SLUG, SLUG_LENGTH } from '../../organizations';
import { MayBeOmitted, FilledText, OneOf } from '../../infrastructure/http';
import { MAIL_LANGUAGES, type MailLanguage } from '../../infrastructure/mail';

export class SignInDto {
  @FilledText(256, { example: 'bw_live_AbCdEf123456_…' }) api_key!: string;
}

export class AskForLinkDto {
  @FilledText(320, { example: 'ada@example.edu' }) email!: string;

  /** Language of the e-mail; English when absent. */
  @MayBeOmitted() @OneOf(MAIL_LANGUAGES) language?: MailLanguage;
}

export class UseLinkDto {
  /** The part of a member's sign-in link after `#link=`. */
  @FilledText(256, { example: 'dCx7W1Bv6Kmvg7ig_JbbSfmFN8IWi2MUXvLhecumM-o' }) token!: string;
}

export class PasswordSignInDto {
  @FilledText(320, { example: 'teacher@example.edu' }) email!: string;

  /** The password of the installation that people were imported from. */
  @FilledText(1024, { example: 'correct horse battery staple' }) password!: string;
}

/** The person that a sign-in link signs in. */
export class LinkedPersonDto {
  name!: string;
  email!: string;
  /** Name of the organization. */
  organization!: string;
}

/** Selects identity providers: of an organization, for an e-mail domain, or a single one. */
export class SignInQueryDto {
  /** Slug: the sign-in page of that organization. */
  @ApiProperty({ example: 'physics' })
  @MayBeOmitted()
  @Matches(SLUG)
  @MaxLength(SLUG_LENGTH.longest)
  organization?: string;

  /** Key of one provider, also of one that no page lists. */
  @ApiProperty({ example: 'campus' })
  @MayBeOmitted()
  @Matches(SLUG)
  @MaxLength(SLUG_LENGTH.longest)
  issuer?: string;

  /** The part of the person's address after the `@`. */
  @ApiProperty({ example: 'physics.example.edu' })
  @MayBeOmitted()
  @IsFQDN({ require_tld: false })
  @MaxLength(255)
  email_domain?: string;
}

/** An identity provider, offered as a button. */
export class SignInProviderDto {
  name!: string;

  /** Name of the organization whose account it opens; null where the provider's claims decide. */
  organization!: string | null;

  /** `POST` begins the sign-in. `GET` leads to the sign-in page with this provider: nobody is signed in by a link. */
  @ApiProperty({ example: '/auth/oidc/campus/login' })
  url!: string;
  /** Address of a picture. */
  logo!: string | null;
}

/** The person, and the ways to sign in from now on: the password is used up. */
export class PasswordSignedInDto {
  me!: MeDto;

  /** Providers of the organization. Beginning a sign-in there in this session links the account there to the person. */
  providers!: SignInProviderDto[];
}

/** A session of a browser. */
export class OpenSessionDto {
  id!: string;

  /** `key`: the session ends with that key. */
  @ApiProperty({ enum: ['key', 'link', 'password', 'single_sign_on'] })
  opened_by!: 'key' | 'link' | 'password' | 'single_sign_on';

  api_key_id!: string | null;
  /** True for the session that asks. */
  current!: boolean;
  created_at!: string;
  /** Written once a minute at most. */
  last_seen_at!: string;
  /** Extended by each request, up to `SESSION_DAYS` after sign-in; a day where an identity provider opened it. */
  expires_at!: string;
}

export class OpenSessionsDto {
  items!: OpenSessionDto[];
}

export class SessionDto {
  signed_in!: boolean;

  providers!: SignInProviderDto[];

  /** Whether an imported password can sign somebody in. */
  password!: boolean;

  /** Whether the service sends sign-in links by e-mail. */
  mail!: boolean;

  /** Address at which the browser also ends the institution's session; null: `DELETE` is enough. */
  sign_out_url!: string | null;
}
