import { type Scope, SCOPES } from '@bellwether/kernel';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsIn, IsInt, IsISO8601, Max, Min } from 'class-validator';
import { IsPlainName, MayBeOmitted, PageQueryDto, Trimmed, FilledText, Text, Flag } from '../infrastructure/http';

export class CreateApiKeyDto {
  @Trimmed()
  @IsPlainName()
  @FilledText(200, { example: 'Open WebUI' })
  name!: string;

  @ApiProperty({ enum: SCOPES, isArray: true, example: ['chat'] })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayUnique()
  @IsIn(SCOPES, { each: true })
  scopes!: Scope[];

  /** Another member, by id or e-mail address; administrators only. */
  @MayBeOmitted() @Text(254) owner?: string;

  /** Another organization, by slug; system administrators only. */
  @MayBeOmitted() @Text(63) organization?: string;

  /**
   * Assistants that the key may use; all of its owner when absent. Such a key reaches their runs, administers nothing and
   * has no conversations, ratings, comparisons and exports.
   */
  @ApiProperty({ required: false, type: 'array', items: { type: 'integer' } })
  @MayBeOmitted()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1_000)
  @ArrayUnique()
  @IsInt({ each: true })
  @Min(1, { each: true })
  @Max(2_147_483_647, { each: true })
  assistant_ids?: number[];

  /**
   * Restricts the key to published assistants; drafts of its owner are excluded. The rules of `assistant_ids` apply.
   * Cannot be combined with `write` or `admin`.
   */
  @Flag() published_only?: boolean;

  @ApiProperty({ format: 'date-time', example: '2027-01-01T00:00:00Z' })
  @MayBeOmitted()
  @IsISO8601({ strict: true, strictSeparator: true })
  expires_at?: string;
}

export class ListApiKeysDto extends PageQueryDto {
  /** `me` (default), a member by id or e-mail address, or `all`. Other members' keys are for administrators. */
  @MayBeOmitted() @Text(254) owner?: string;
}
