export class OrchestratorDto {
  name!: string;
  description!: string;
  /** JSON Schema of the strategy's settings. */
  options_schema!: Record<string, unknown>;
}

export class OrchestratorListDto {
  orchestrators!: OrchestratorDto[];
}
