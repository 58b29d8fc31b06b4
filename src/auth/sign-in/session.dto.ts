import { ApiProperty } from '@nestjs/swagger';
import { IsNotEmpty, IsString, MaxLength } from 'class-validator';

export class SignInDto {
  @ApiProperty({ example: 'bw_live_AbCdEf123456_…' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(256)
  api_key!: string;
}

/** An identity provider, offered as a button. */
export class SignInProviderDto {
  name!: string;
  /** Address for the browser. */
  url!: string;
  /** Address of a picture. */
  logo!: string | null;
}

/** A session of a browser. */
export class OpenSessionDto {
  id!: string;

  /** `key`: the session ends with that key. */
  @ApiProperty({ enum: ['key', 'link', 'single_sign_on'] })
  opened_by!: 'key' | 'link' | 'single_sign_on';

  api_key_id!: string | null;
  /** True for the session that asks. */
  current!: boolean;
  created_at!: string;
  /** Written once a minute at most. */
  last_seen_at!: string;
  /** Extended by each request, up to a day after sign-in. */
  expires_at!: string;
}

export class OpenSessionsDto {
  @ApiProperty({ type: [OpenSessionDto] })
  items!: OpenSessionDto[];
}

export class SessionDto {
  signed_in!: boolean;

  @ApiProperty({ type: [SignInProviderDto] })
  providers!: SignInProviderDto[];

  /** Where the browser goes to sign out, so that the institution's session ends too; null: `DELETE` is enough. */
  sign_out_url!: string | null;
}
