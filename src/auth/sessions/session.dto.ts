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

export class SessionDto {
  signed_in!: boolean;

  @ApiProperty({ type: [SignInProviderDto] })
  providers!: SignInProviderDto[];
}
