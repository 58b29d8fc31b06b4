import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../infrastructure/http';
import type { ProcessorDefinition } from './contract';
import { ProcessorCatalogue } from './processor-catalogue';
import { type ProcessorDto, PromptProcessorListDto, RagProcessorListDto } from './processor.dto';

@ApiTags('Catalogues')
@Controller('api/v1')
export class ProcessorsController {
  constructor(private readonly catalogue: ProcessorCatalogue) {}

  @Get('prompt-processors')
  @Access({ scope: 'read', summary: 'Prompt processors of classic assistants' })
  prompt(): PromptProcessorListDto {
    return { prompt_processors: this.catalogue.promptDefinitions().map(present) };
  }

  @Get('rag-processors')
  @Access({ scope: 'read', summary: 'RAG processors of classic assistants' })
  rag(): RagProcessorListDto {
    return { rag_processors: this.catalogue.ragDefinitions().map(present) };
  }
}

const present = ({
  texts = {},
  slots = [],
  settings = [],
  aliases,
  material_search: _,
  ...definition
}: ProcessorDefinition): ProcessorDto => ({
  ...definition,
  aliases: [...aliases],
  texts,
  settings: [...settings],
  slots: [...slots],
});
