import type { JsonObject } from '@bellwether/kernel';
import { ApiProperty } from '@nestjs/swagger';
import { IsBooleanString } from 'class-validator';
import { IsName, MayBeOmitted, QueryBetween } from '../infrastructure/http';
import { DiagnosticDto } from './checks/validation.dto';
import { STORED_METADATA } from './definition';
import { AssistantDto } from './editing/assistant.dto';

export const EXPORT_FORMAT = 'bellwether.assistant';
export const FORMAT_VERSION = 1;

export class DuplicateAssistantDto {
  /** Name of the copy; "Copy of …" without it. */
  @MayBeOmitted() @IsName({ required: false }) name?: string;
}

export class ImportQueryDto {
  /** Only plans, and writes nothing. */
  @ApiProperty({ enum: ['true', 'false'] })
  @MayBeOmitted()
  @IsBooleanString()
  dry_run?: string;

  /** Id of an assistant to overwrite with a new version; without it a new assistant is made. */
  @MayBeOmitted() @QueryBetween(1, 2_147_483_647) into?: number;
}

export class ExportedDefinitionDto {
  name!: string;
  description!: string;
  system_prompt!: string;
  prompt_template!: string;
  @ApiProperty(STORED_METADATA)
  metadata!: JsonObject;
  /** Knowledge bases of a classic assistant, with commas between them. */
  RAG_collections!: string;
  RAG_Top_k!: number;
}

/** A definition without ids, owners or anything else of its installation. */
export class ExportedAssistantDto {
  @ApiProperty({ enum: [EXPORT_FORMAT] })
  format!: typeof EXPORT_FORMAT;
  @ApiProperty({ enum: [FORMAT_VERSION], type: 'integer' })
  format_version!: typeof FORMAT_VERSION;
  assistant!: ExportedDefinitionDto;
}

/** An assistant as LAMB exports it. Further members are left behind, and listed in the answer. */
export class LambAssistantDto {
  name!: string;
  description?: string | null;
  system_prompt?: string | null;
  prompt_template?: string | null;
  RAG_collections?: string | null;
  RAG_Top_k?: number | null;
  /** The metadata, as JSON. */
  @ApiProperty({ type: 'string' })
  api_callback!: string;
}

/** The name of a collection, and the knowledge base here that has it. */
export class BoundDto {
  /** JSON path in the request. */
  path!: string;
  reference!: string;
  knowledge_base_id!: string;
}

/** A part of an import that is not taken over, or a reference that names nothing here. */
export class DroppedDto {
  path!: string;
  reason!: string;
  /** With it a client words the reason itself. */
  @ApiProperty({ enum: ['import.unknown', 'import.reference'] })
  code!: 'import.unknown' | 'import.reference';
}

export class FieldChangeDto {
  @ApiProperty({ example: 'prompt_template' })
  path!: string;
  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'number' }] })
  from!: string | number;
  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'number' }] })
  to!: string | number;
}

/** The effect that an import would have. */
export class ImportPlanDto {
  dry_run!: boolean;
  @ApiProperty({ enum: ['create', 'update'] })
  action!: 'create' | 'update';
  diff!: FieldChangeDto[];
  /** Ids and owners that are left behind, and references that name nothing here. */
  dropped!: DroppedDto[];
  bound!: BoundDto[];
  diagnostics!: DiagnosticDto[];
}

export class ImportedAssistantDto extends AssistantDto {
  dropped!: DroppedDto[];
  bound!: BoundDto[];
}
