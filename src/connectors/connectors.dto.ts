import { ApiProperty } from '@nestjs/swagger';
/** Abilities of a connector. */
export class ConnectorCapabilitiesDto {
  streaming!: boolean;
  vision!: boolean;
  functions!: boolean;
  image_generation!: boolean;
}

export class ConnectorTextDto {
  description!: string;
}

export class ConnectorTextsDto {
  es!: ConnectorTextDto;
  ca!: ConnectorTextDto;
  eu!: ConnectorTextDto;
}

export class ConnectorEmbeddingsDto {
  /** Suggestion for a form; null where each server has its own models. */
  default_model!: string | null;
  /** Whether the vendor's own address asks for a key. */
  needs_key!: boolean;
}

export class ConnectorDto {
  /** Value of `metadata.connector`. */
  name!: string;
  display_name!: string;
  description!: string;
  /** Texts in the other languages of the UI. */
  texts!: ConnectorTextsDto;
  /** Name in the Lucide icon set. */
  icon!: string;
  /** Key of its vendor in an organization's `providers`; null for a connector without a vendor. */
  provider!: string | null;
  /** The vendor's own address; null where an organization has to name one. */
  base_url!: string | null;
  /** The vendor requires a key. */
  needs_key!: boolean;
  capabilities!: ConnectorCapabilitiesDto;
  /** Whether the caller's organization can use it now. */
  configured!: boolean;
  /** Models that the organization enabled; empty when it set no list, which allows every model of the vendor. */
  models!: string[];
  /** Answers when an assistant names no model. */
  default_model!: string | null;
  /** Set when a knowledge base may name it as `embedding.provider`. */
  embeddings!: ConnectorEmbeddingsDto | null;
}

export class ConnectorListDto {
  connectors!: ConnectorDto[];

  /** Embedding model that this service runs itself, for `embedding.provider` `folder`; null for none. */
  @ApiProperty({ example: 'potion-multilingual-128M' })
  model_folder!: string | null;
}
