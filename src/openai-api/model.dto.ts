import type { JsonObject } from '@bellwether/kernel';
import { ApiProperty } from '@nestjs/swagger';

export class LambConnectorDto {
  name!: string;
  /** Models that the organization has enabled; its default model where it allows all. Empty: none can be asked. */
  available_llms!: string[];
}

export class LambListDto {
  prompt_processors!: string[];
  @ApiProperty({ additionalProperties: { $ref: '#/components/schemas/LambConnectorDto' } })
  connectors!: Record<string, LambConnectorDto>;
  rag_processors!: string[];
  /** Definitions as `tools` lists them, each with its `config_schema`. */
  @ApiProperty({ items: { type: 'object', additionalProperties: true } })
  tools!: JsonObject[];
}

export class LambConfigValidityDto {
  valid!: boolean;
  /** `path: message`, or the message alone when it concerns the whole config. */
  errors!: string[];
}

export class ModelCapabilitiesDto {
  vision!: boolean;
  image_generation!: boolean;
  /** The assistant has functions. */
  tool_use!: boolean;
}

/** An assistant as OpenAI's model object. */
export class ModelDto {
  /** `lamb_assistant.{id}`, or `assistant.{id}` where that number is also one of an imported assistant. */
  id!: string;
  object!: 'model';
  /** Unix seconds. */
  created!: number;
  /** Slug of the organization. */
  owned_by!: string;
  parent!: string | null;
  /** Name of the assistant, for menus. */
  name!: string;
  capabilities!: ModelCapabilitiesDto;
}

export class ModelListDto {
  object!: 'list';
  data!: ModelDto[];
  /** True when more models follow: ask for those `after` the last id. */
  has_more!: boolean;
}
