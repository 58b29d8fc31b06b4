export class ProcessorDto {
  name!: string;
  description!: string;
}

export class PromptProcessorListDto {
  prompt_processors!: ProcessorDto[];
}

export class RagProcessorListDto {
  rag_processors!: ProcessorDto[];
}
