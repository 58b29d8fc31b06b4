import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { MayBeOmitted, FilledText } from '../../infrastructure/http';

/**
 * Values to test instead of the stored ones; null tests without a value. A stored secret is only sent to the address
 * that it was entered for: another address without a new secret is tested without one.
 */
export class ProviderTestDto {
  @IsOptional()
  @IsString()
  api_key?: string | null;

  @IsOptional()
  @IsString()
  base_url?: string | null;

  /** Embeds one word with this model instead of listing models. */
  @MayBeOmitted() @FilledText(200) embedding_model?: string;
}

export class McpServerTestDto {
  @IsOptional()
  @IsString()
  token?: string | null;

  @IsOptional()
  @IsString()
  url?: string | null;
}

export class MoodleTestDto {
  @IsOptional()
  @IsString()
  token?: string | null;

  @IsOptional()
  @IsString()
  api_url?: string | null;
}

export class KnowledgeBaseServerTestDto {
  @IsOptional()
  @IsString()
  api_token?: string | null;

  @IsOptional()
  @IsString()
  server_url?: string | null;
}

export class RerankerTestDto {
  @ApiProperty({ example: 'cohere' })
  @IsOptional()
  @IsString()
  dialect?: string | null;

  @ApiProperty({ example: 'https://api.cohere.com' })
  @IsOptional()
  @IsString()
  url?: string | null;

  @ApiProperty({ example: 'rerank-v3.5' })
  @IsOptional()
  @IsString()
  model?: string | null;

  @IsOptional()
  @IsString()
  api_key?: string | null;
}

export class TranslatorTestDto {
  @ApiProperty({ example: 'libretranslate' })
  @IsOptional()
  @IsString()
  dialect?: string | null;

  @ApiProperty({ example: 'https://translate.example.edu' })
  @IsOptional()
  @IsString()
  url?: string | null;

  @IsOptional()
  @IsString()
  api_key?: string | null;
}

/** How a call to a vendor or server ended. */
export class ConnectionOutcomeDto {
  at!: string;
  ok!: boolean;
  /** Error code of the failure, listed in docs/reference/errors.md; null after a success. */
  code!: string | null;
  /** HTTP status of the vendor; null without an answer. */
  status!: number | null;
  /** The vendor's own words, cut and without credentials. */
  vendor_message!: string | null;
  duration_ms!: number;
}

export class ListedModelDto {
  id!: string;
  /** The vendor's name for people; null where it has none. */
  name!: string | null;
}

/** Result of a connection test. Members of other kinds of connections are null. */
export class ConnectionTestDto extends ConnectionOutcomeDto {
  /** Models that the vendor offers to this key. */
  models!: ListedModelDto[] | null;
  /** Length of the vectors of `embedding_model`. */
  dimensions!: number | null;
  /** Tools of the MCP server. */
  tools!: string[] | null;
  /** Name of the Moodle site. */
  site!: string | null;
  /** Web service functions of Moodle that assistants need and this token may not call. */
  missing!: string[] | null;
  /** Collections of the knowledge-base server. */
  collections!: number | null;
  /** Spanish translation of an English sentence; null for other kinds of connections and after a failure. */
  translation!: string | null;
}

export class ConnectionStateDto {
  /** Path in the settings: `providers.openai`, `mcp.servers.library`, `moodle`, `knowledge_base`, `reranker`, `translator`. */
  connection!: string;
  /** The last test of the stored values. */
  tested!: ConnectionOutcomeDto | null;
  /** The last call for an assistant; repeated outcomes are kept once a minute. Providers only. */
  used!: ConnectionOutcomeDto | null;
}

export class ConnectionListDto {
  items!: ConnectionStateDto[];
}
