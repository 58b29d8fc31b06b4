import { Injectable } from '@nestjs/common';
import type { ToolDefinition } from '../../contract';
import { modeSearchDefinition, ModeSearchTool } from '../../search';

/** Passages that hold the words of the question. */
@Injectable()
export class KeywordSearchTool extends ModeSearchTool {
  readonly definition: ToolDefinition = DEFINITION;
  protected readonly mode = 'keyword';
}

const DEFINITION = modeSearchDefinition({
  name: 'keyword_search',
  display_name: 'Keyword search',
  description: 'Finds the passages of your knowledge bases that hold the words of the question.',
  texts: {
    en: {
      name: 'Search by words',
      about: 'Finds the passages of your knowledge bases that hold the words of the question.',
    },
    es: {
      name: 'Búsqueda por palabras',
      about: 'Busca en sus bases de conocimiento los fragmentos que contienen las palabras de la pregunta.',
    },
    ca: {
      name: 'Cerca per paraules',
      about: 'Cerca a les vostres bases de coneixement els fragments que contenen les paraules de la pregunta.',
    },
    eu: {
      name: 'Hitzen araberako bilaketa',
      about: 'Galderako hitzak dituzten pasarteak bilatzen ditu zure ezagutza-baseetan.',
    },
  },
  icon: 'text-search',
  examples: [
    {
      query: 'Regulation 14.3',
      parameters: { collections: ['study-regulations'], top_k: 5 },
      expected_result: 'The five passages in which the words stand most prominently.',
    },
  ],
  capabilities: ['exact_match'],
  limitations: ['Finds words, in all their forms, but no other words for the same thing.'],
  cost: { unit: 'none', estimate: 0 },
});
