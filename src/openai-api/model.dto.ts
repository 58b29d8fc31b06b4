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
