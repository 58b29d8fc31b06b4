import { ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsNotEmpty,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  MaxLength,
} from 'class-validator';
import { MayBeOmitted, Flag } from '../../../../src/infrastructure/http';

const STATES = ['off', 'on', 'ended'] as const;
export const NO_NUL = /^[^\0]+$/;

/** Absent members stay. */
export class UpdateBridgeDto {
  @Flag({ example: true }) enabled?: boolean;

  /** The last day (UTC) on which LTI 1.1 is accepted, at most 400 days ahead. Needed while it is enabled. */
  @ApiProperty({ example: '2027-02-28' })
  @IsOptional()
  @Matches(/^\d{4}-\d{2}-\d{2}$/, { message: 'until must be a date like 2027-02-28' })
  until?: string | null;

  /** Write-only. Secret of all keys of kind `assistant` (`LTI_SECRET` of LAMB). Null removes it. */
  @ApiProperty({ writeOnly: true })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @Matches(NO_NUL, { message: 'assistant_secret must not contain NUL' })
  @MaxLength(255)
  assistant_secret?: string | null;

  /**
   * Ids of learning platforms that used LTI 1.1 before, with the same ids of people and links. Their people keep their
   * accounts, also where the platform sends no signed claim `lti1p1`.
   */
  @ApiProperty({ example: ['01a2f0d6-0b52-7d10-8a3c-1f2e3d4c5b6a'] })
  @MayBeOmitted()
  @IsArray()
  @ArrayMaxSize(20)
  @ArrayUnique()
  @IsUUID(undefined, { each: true })
  continued_by?: string[];
}

export class BridgeAddressesDto {
  @ApiProperty({ example: 'https://bellwether.example.edu/lamb/v1/lti/launch' })
  activity!: string;
  @ApiProperty({ example: 'https://bellwether.example.edu/lamb/v1/lti_users/lti' })
  assistant!: string;
  @ApiProperty({ example: 'https://bellwether.example.edu/lamb/v1/lti_creator/launch' })
  creator!: string;
}

export class BridgeDto {
  @ApiProperty({ example: true })
  enabled!: boolean;
  @ApiProperty({ example: '2027-02-28' })
  until!: string | null;
  /** `ended`: it is enabled, and its last day is over. */
  @ApiProperty({ enum: STATES, example: 'on' })
  state!: (typeof STATES)[number];
  @ApiProperty({ example: false })
  assistant_secret_configured!: boolean;
  @ApiProperty({ example: [] })
  continued_by!: string[];
  /** Addresses for the course platform, by the kind of the key. */
  launch_urls!: BridgeAddressesDto;
  /** 0 before the first change. */
  @ApiProperty({ example: 1 })
  version!: number;
  updated_at!: string | null;
}
