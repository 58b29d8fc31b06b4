import { Injectable } from '@nestjs/common';
import type { ToolDefinition } from '../contract';
import { modeSearchDefinition, ModeSearchTool } from '../search';

/** Passages that hold the words of the question. */
@Injectable()
export class KeywordSearchTool extends ModeSearchTool {
  readonly definition: ToolDefinition = DEFINITION;
  protected readonly mode = 'keyword';
}

const DEFINITION = modeSearchDefinition({
  name: 'keyword_search',
  display_name: 'Keyword search',
  description:
    'Finds the passages of your knowledge bases that contain words of the question. It needs at least one knowledge base.',
  texts: {
    es: {
      name: 'Búsqueda por palabras',
      about:
        'Busca en sus bases de conocimiento los fragmentos que contienen palabras de la pregunta. Necesita al menos una base de conocimiento.',
    },
    ca: {
      name: 'Cerca per paraules',
      about:
        'Cerca a les vostres bases de coneixement els fragments que contenen paraules de la pregunta. Necessita com a mínim una base de coneixement.',
    },
    eu: {
      name: 'Hitzen araberako bilaketa',
      about:
        'Zure ezagutza-baseetan galderako hitzak dituzten pasarteak bilatzen ditu. Gutxienez ezagutza-base bat behar du.',
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
