import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsNotEmpty, IsString, Matches, Max, MaxLength, Min, ValidateIf } from 'class-validator';
import { KEY_KINDS, type KeyKind } from '../bridge.types';
import { NO_NUL } from './bridge.dto';
import { OneOf, PageOf } from '../../../../src/infrastructure/http';

const isOfAssistant = ({ kind }: CreateBridgeKeyDto): boolean => kind === 'assistant';

export class CreateBridgeKeyDto {
  /** `activity`: links whose teacher chose assistants. `assistant`: one assistant. `creator`: teachers come to work. */
  @OneOf(KEY_KINDS, { example: 'activity' }) kind!: KeyKind;

  /** `oauth_consumer_key` of the course platform. Two organizations may have the same one. */
  @ApiProperty({ example: 'lamb' })
  @IsString()
  @IsNotEmpty()
  @Matches(NO_NUL, { message: 'consumer_key must not contain NUL' })
  @MaxLength(255)
  consumer_key!: string;

  /** Write-only. Not for the kind `assistant`, whose keys share `assistant_secret` of the bridge. */
  @ApiProperty({ writeOnly: true })
  @ValidateIf((key: CreateBridgeKeyDto) => !isOfAssistant(key) || key.secret !== undefined)
  @IsString()
  @IsNotEmpty()
  @Matches(NO_NUL, { message: 'secret must not contain NUL' })
  @MaxLength(255)
  secret?: string;

  /** Id of the assistant for the kind `assistant`, and for no other. */
  @ApiProperty({ example: 12 })
  @ValidateIf((key: CreateBridgeKeyDto) => isOfAssistant(key) || key.assistant_id !== undefined)
  @IsInt()
  @Min(1)
  @Max(2 ** 31 - 1)
  assistant_id?: number;
}

export class UpdateBridgeKeyDto {
  /** Write-only. */
  @ApiProperty({ writeOnly: true })
  @IsString()
  @IsNotEmpty()
  @Matches(NO_NUL, { message: 'secret must not contain NUL' })
  @MaxLength(255)
  secret!: string;
}

export class BridgeKeyDto {
  id!: string;
  @ApiProperty({ enum: KEY_KINDS, example: 'activity' })
  kind!: KeyKind;
  @ApiProperty({ example: 'lamb' })
  consumer_key!: string;
  @ApiProperty({ example: null })
  assistant_id!: number | null;
  /** Without a secret every launch is refused. */
  @ApiProperty({ example: true })
  secret_configured!: boolean;
  /** To the hour. Null: no launch was accepted yet. */
  @ApiProperty({ example: '2026-11-25T09:00:00.000Z' })
  last_launch_at!: string | null;
  created_at!: string;
}

export class BridgeKeyPageDto extends PageOf(BridgeKeyDto) {}
