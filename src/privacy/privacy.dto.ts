import { ApiProperty } from '@nestjs/swagger';
import { IsString, Matches } from 'class-validator';
import { Flag, MayBeOmitted, Text, OneOf, PageOf } from '../infrastructure/http';
import {
  CONTENT_TYPES,
  type ContentType,
  ERASURE_STATES,
  type ErasureState,
  UNSHARED_CHOICES,
  type Unshared,
} from './erasure/erasure.types';

const COUNTS = { type: 'object', additionalProperties: { type: 'integer' } } as const;

export class ErasePersonDto {
  /** True (default): a dry run that only reports what an erasure would do. False: erases. */
  @Flag() dry_run: boolean = true;

  /** User id or e-mail address of the member who takes over content; the owner with the oldest membership when absent. */
  @MayBeOmitted() @Text(254, { example: 'dean@example.edu' }) heir?: string;

  /** Content that nobody else uses. Content that others use always goes to the heir. */
  @MayBeOmitted() @OneOf(UNSHARED_CHOICES, { required: false }) unshared: Unshared = 'delete';

  /** The e-mail address of the person, as a confirmation. Required unless `dry_run`. */
  @MayBeOmitted() @Text(254, { example: 'ada@example.edu' }) confirm?: string;
}

export class ErasurePersonDto {
  user_id!: string;
  email!: string;
  name!: string;
}

export class LookUpPseudonymDto {
  /** The identifier that the vendor names. */
  @ApiProperty({ example: '9f86d081884c7d659a2feaa0c55ad015' })
  @IsString()
  @Matches(/^\s*[0-9a-fA-F]{32}\s*$/, { message: 'pseudonym must be 32 hexadecimal digits' })
  pseudonym!: string;
}

export class ErasureContentDto {
  @ApiProperty({ enum: CONTENT_TYPES })
  type!: ContentType;

  id!: string;
  name!: string;
}

export class ErasureProblemDto {
  @ApiProperty({ example: 'last_owner' })
  code!: string;

  message!: string;
}

export class KeptDataDto {
  @ApiProperty({ example: 'audit' })
  code!: string;

  /** Absent where the number is unknown. */
  count?: number;

  reason!: string;
}

/** Effects of an erasure before it begins. */
export class ErasurePlanDto {
  person!: ErasurePersonDto;

  /** The member who would take over content. */
  heir!: ErasurePersonDto | null;

  @ApiProperty({ enum: UNSHARED_CHOICES })
  unshared!: Unshared;

  handed_over!: ErasureContentDto[];
  deleted!: ErasureContentDto[];

  @ApiProperty({ ...COUNTS, description: 'Rows about the person by kind of data', example: { runs: 12, files: 2 } })
  counts!: Readonly<Record<string, number>>;

  kept!: KeptDataDto[];
  /** Obstacles; empty when the erasure is possible. */
  problems!: ErasureProblemDto[];
}

export class ErasureReportDto {
  version!: number;

  @ApiProperty({
    additionalProperties: COUNTS,
    example: { deleted: { files: 2, account: 2 }, anonymised: { runs: 12 }, redacted: { audit: 5 } },
  })
  counts!: object;

  @ApiProperty({
    additionalProperties: { type: 'array', items: { type: 'string' } },
    description: 'Ids of content that the heir owns now, by type',
    example: { assistants: ['7'] },
  })
  handed_over!: object;

  kept!: KeptDataDto[];

  @ApiProperty({ enum: ['deleted', 'kept'] })
  account!: 'deleted' | 'kept';

  finished_at!: string;
}

/** An erasure. Without personal data once it is done. */
export class ErasureDto {
  id!: string;

  @ApiProperty({ enum: ERASURE_STATES })
  state!: ErasureState;

  /** The person; null once it is done. */
  user_id!: string | null;

  /** Null for the operator. */
  requested_by!: string | null;

  heir_id!: string | null;

  @ApiProperty({ enum: UNSHARED_CHOICES })
  unshared!: Unshared;

  /** Error code of the last try; the erasure is tried again. */
  failure!: string | null;

  report!: ErasureReportDto | null;

  /** The report as text. */
  report_text!: string | null;

  created_at!: string;

  finished_at!: string | null;
}

export class ErasurePageDto extends PageOf(ErasureDto) {}
