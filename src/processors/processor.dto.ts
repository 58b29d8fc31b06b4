import { ApiProperty } from '@nestjs/swagger';
import { CLASSIC_SETTINGS, type ClassicSetting } from './contract';

export class ProcessorTextDto {
  name!: string;
  /** One sentence on what it does. */
  about!: string;
}

export class ProcessorTextsDto {
  en?: ProcessorTextDto;
  es?: ProcessorTextDto;
  ca?: ProcessorTextDto;
  eu?: ProcessorTextDto;
}

export class ProcessorDto {
  name!: string;
  /** Other names that stored assistants carry for it. */
  aliases!: string[];
  description!: string;
  /** Texts for people, by language; a missing language falls back to `name` and `description`. */
  texts!: ProcessorTextsDto;
  /** Settings of the assistant that it reads. */
  @ApiProperty({ enum: CLASSIC_SETTINGS, isArray: true })
  settings!: ClassicSetting[];
  /** Slots of the template that it fills; every prompt processor also fills `{user_input}`. */
  slots!: string[];
}

export class PromptProcessorListDto {
  prompt_processors!: ProcessorDto[];
}

export class RagProcessorListDto {
  rag_processors!: ProcessorDto[];
}
