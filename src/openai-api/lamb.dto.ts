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
