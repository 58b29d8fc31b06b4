export class ModelCapabilitiesDto {
  vision!: boolean;
  image_generation!: boolean;
}

/** An assistant as OpenAI's model object. */
export class ModelDto {
  /** `lamb_assistant.{id}` */
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
}
