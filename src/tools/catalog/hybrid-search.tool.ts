import { Injectable } from '@nestjs/common';
import type { ToolDefinition } from '../contract';
import { modeSearchDefinition, ModeSearchTool } from '../search';

/** Passages that match the question by its meaning, by its words or by both. */
@Injectable()
export class HybridSearchTool extends ModeSearchTool {
  readonly definition: ToolDefinition = DEFINITION;
  protected readonly mode = 'hybrid';
}

const DEFINITION = modeSearchDefinition({
  name: 'hybrid_search',
  display_name: 'Search by meaning and words',
  description: 'Finds the passages of your knowledge bases that match the question by meaning and by words.',
  texts: {
    es: {
      name: 'Búsqueda por significado y palabras',
      about:
        'Busca en sus bases de conocimiento los fragmentos que coinciden con la pregunta por significado y por palabras.',
    },
    ca: {
      name: 'Cerca per significat i paraules',
      about:
        'Cerca a les vostres bases de coneixement els fragments que coincideixen amb la pregunta per significat i per paraules.',
    },
    eu: {
      name: 'Esanahiaren eta hitzen araberako bilaketa',
      about: 'Galderarekin esanahiz eta hitzez bat datozen pasarteak bilatzen ditu zure ezagutza-baseetan.',
    },
  },
  icon: 'combine',
  examples: [
    {
      query: 'Does the Calvin cycle need light?',
      parameters: { collections: ['course-materials'], top_k: 5 },
      expected_result: 'The five best passages of both searches together.',
    },
  ],
  capabilities: ['exact_match', 'semantic_search'],
  limitations: ['Knowledge bases without an embedding model are searched by words alone.'],
  cost: { unit: 'none', estimate: 0 },
});
