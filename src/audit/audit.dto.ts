import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { IsISO8601, IsString, MaxLength, MinLength } from 'class-validator';
import { type ChainReport, type ChainState, FINDING_KINDS } from '../infrastructure/audit';
import { MayBeOmitted, PageOf, PageQueryDto, OneOf } from '../infrastructure/http';

export const EXPORT_FORMATS = ['csv', 'jsonl'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const LONGEST = 200;
const ANY_TEXT = [MayBeOmitted(), IsString(), MinLength(1), MaxLength(LONGEST)];
const Text = (): PropertyDecorator => (target, property) => {
  for (const decorate of ANY_TEXT) decorate(target, property);
};
const Time = (): PropertyDecorator => (target, property) => {
  for (const decorate of [MayBeOmitted(), IsISO8601({ strict: true })]) decorate(target, property);
};

/** An entry must fit all of them. */
export class AuditFiltersDto {
  @ApiProperty({
    description: 'Id or e-mail address of a person, id of an API key or session, or `system` for the service itself.',
    example: 'ana@example.edu',
  })
  @Text()
  actor?: string;

  @ApiProperty({ description: 'An action, or its beginning followed by `*`.', example: 'member.*' })
  @Text()
  action?: string;

  @ApiProperty({ example: 'assistant' })
  @Text()
  target_type?: string;

  @ApiProperty({ example: '42' })
  @Text()
  target_id?: string;

  @ApiProperty({ description: 'Not older than this time or date (UTC).', example: '2026-11-01' })
  @Time()
  from?: string;

  @ApiProperty({ description: 'Older than this time or date (UTC).', example: '2026-12-01' })
  @Time()
  to?: string;

  @Text()
  request_id?: string;

  @Text()
  ip?: string;

  @ApiProperty({ description: 'Part of the action, of the id of the target or of the values.' })
  @Text()
  text?: string;
}

export class AuditQueryDto extends IntersectionType(PageQueryDto, AuditFiltersDto) {}

export class AuditExportQueryDto extends AuditFiltersDto {
  @MayBeOmitted() @OneOf(EXPORT_FORMATS, { required: false }) format: ExportFormat = 'csv';
}

export class AuditActorDto {
  @ApiProperty({ example: 'session', description: '`system` for the service itself and for operator commands.' })
  kind!: string;
  user_id!: string | null;
  @ApiProperty({ example: 'Ana Ruiz', description: 'Null for people of other organizations.' })
  name!: string | null;
  @ApiProperty({ example: 'ana@example.edu', description: 'Null for erased people.' })
  email!: string | null;
  credential_id!: string | null;
  @ApiProperty({ description: 'Name of the API key.' })
  credential_name!: string | null;
}

export class AuditTargetDto {
  @ApiProperty({ example: 'member' })
  type!: string;
  id!: string;
  @ApiProperty({ example: 'Biology 101', description: 'Now, else as the entry has it.' })
  name!: string | null;
}

export class AuditItemDto {
  id!: string;
  at!: string;
  actor!: AuditActorDto;

  @ApiProperty({ example: 'member.update' })
  action!: string;

  target!: AuditTargetDto;

  @ApiProperty({ description: 'Secrets are masked.', nullable: true, type: 'object', additionalProperties: true })
  before!: unknown;

  @ApiProperty({ nullable: true, type: 'object', additionalProperties: true })
  after!: unknown;

  request_id!: string | null;
  ip!: string | null;

  @ApiProperty({ description: 'Position in the hash chain; null for the first seconds of an entry.' })
  sequence!: number | null;
}

export class AuditPageDto extends PageOf(AuditItemDto) {}

export class AuditCheckDto {
  at!: string;
  intact!: boolean;
}

export class AuditChainDto implements ChainState {
  @ApiProperty({ example: 1204, description: 'Position of the last sealed entry.' })
  sealed_through!: number;

  @ApiProperty({ example: 0, description: 'Entries that are not in the hash chain yet.' })
  unsealed!: number;

  @ApiProperty({ description: 'Last verification.' })
  checked!: AuditCheckDto | null;
}

export class AuditFindingDto {
  @ApiProperty({ enum: FINDING_KINDS })
  kind!: ChainReport['findings'][number]['kind'];

  sequence!: number | null;

  entry_id!: string | null;

  @ApiProperty({ example: 'The content of entry 3 was changed after it was sealed' })
  message!: string;
}

export class AuditRedactionDto {
  sequence!: number;
  entry_id!: string;

  @ApiProperty({ description: 'Position of the entry that announces the redaction or the acceptance.' })
  announced_by!: number;
}

export class AuditVerificationDto implements ChainReport {
  intact!: boolean;
  checked_at!: string;

  @ApiProperty({ description: 'Entries that were checked.', example: 1204 })
  entries!: number;

  first_sequence!: number | null;

  last_sequence!: number | null;

  @ApiProperty({ description: 'Hash of the last entry.' })
  head!: string | null;

  unsealed!: number;

  @ApiProperty({ description: 'Entries up to this one were removed by the retention.' })
  pruned_through!: number | null;

  @ApiProperty({ description: 'Entries from which a person was erased.' })
  redactions!: AuditRedactionDto[];

  @ApiProperty({ description: 'Entries that the service did not write, and that an operator accepted on the record.' })
  accepted!: AuditRedactionDto[];

  @ApiProperty({ description: 'Places where the log is not what was sealed; at most 100.' })
  findings!: AuditFindingDto[];

  @ApiProperty({ description: 'Number of further findings.' })
  more_findings!: number;
}
