import type { JsonObject } from '@bellwether/kernel';
import { ApiProperty } from '@nestjs/swagger';
import { METADATA_VERSIONS, type MetadataVersion, STORED_METADATA } from './definition';
import { MayBeOmitted, OneOf } from '../infrastructure/http';

export class ConversionQueryDto {
  /** Only plans, and writes nothing. */
  @MayBeOmitted() @OneOf(['true', 'false']) dry_run?: string;
}

export class TemplateChangeDto {
  before!: string;
  after!: string;
}

export class MetadataChangeDto {
  @ApiProperty(STORED_METADATA)
  before!: JsonObject;
  @ApiProperty(STORED_METADATA)
  after!: JsonObject;
}

export class ValueChangeDto {
  @ApiProperty({ example: 'metadata.rag_processor' })
  path!: string;
  /** null when it was absent. */
  @ApiProperty({ nullable: true })
  from!: unknown;
  /** null when it is removed. */
  @ApiProperty({ nullable: true })
  to!: unknown;
}

export class ConversionNoteDto {
  path!: string;
  message!: string;
  @ApiProperty({ example: 'prompt.differs' })
  code?: string;
}

/** A prompt that would change, around the first difference. */
export class PromptDifferenceDto {
  /** Name of the recorded input. */
  input!: string;
  before!: string;
  after!: string;
}

/** The effect that a conversion would have. */
export class ConversionPlanDto {
  dry_run!: boolean;
  /** `current`: nothing to do. `refused`: `problems` and `differences` say why. */
  @ApiProperty({ enum: ['ready', 'current', 'refused'] })
  status!: 'ready' | 'current' | 'refused';
  /** Version of the examined definition. */
  version!: number;
  /** null when the stored metadata cannot be read. */
  @ApiProperty({ enum: METADATA_VERSIONS })
  from_version!: MetadataVersion | null;
  @ApiProperty({ enum: METADATA_VERSIONS })
  to_version!: MetadataVersion;
  template!: TemplateChangeDto;
  metadata!: MetadataChangeDto;
  notes!: ConversionNoteDto[];
  diff!: ValueChangeDto[];
  problems!: ConversionNoteDto[];
  differences!: PromptDifferenceDto[];
}
