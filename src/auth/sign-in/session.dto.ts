import { ApiProperty } from '@nestjs/swagger';
import { IsNotEmpty, IsString, MaxLength } from 'class-validator';

export class SignInDto {
  @ApiProperty({ example: 'bw_live_AbCdEf123456_…' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(256)
  api_key!: string;
}

/** Somebody else who says who people are, offered as a button. */
export class SignInProviderDto {
  name!: string;
  /** Where the browser goes. */
  url!: string;
}

/** A browser in which somebody is signed in. */
export class OpenSessionDto {
  id!: string;

  /** With `key` it ends with that key. */
  @ApiProperty({ enum: ['key', 'link'] })
  opened_by!: 'key' | 'link';

  api_key_id!: string | null;
  /** The one that asks. */
  current!: boolean;
  created_at!: string;
  /** Written once a minute at most. */
  last_seen_at!: string;
  /** Later with every request, up to a day after signing in. */
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
}
