/** What a connector can do. */
export class ConnectorCapabilitiesDto {
  streaming!: boolean;
  vision!: boolean;
  functions!: boolean;
  image_generation!: boolean;
}

export class ConnectorDto {
  /** Value of `metadata.connector`. */
  name!: string;
  display_name!: string;
  description!: string;
  capabilities!: ConnectorCapabilitiesDto;
  /** Whether the caller's organization can use it now. */
  configured!: boolean;
  /** Models that the organization enabled; empty when it set no list, which allows every model of the vendor. */
  models!: string[];
  /** Answers when an assistant names no model. */
  default_model!: string | null;
}

export class ConnectorListDto {
  connectors!: ConnectorDto[];
}
