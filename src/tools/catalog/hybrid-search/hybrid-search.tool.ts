import { Injectable } from '@nestjs/common';
import type { ToolDefinition } from '../../contract';
import { modeSearchDefinition, ModeSearchTool } from '../../search';

/** Passages that match the question by its meaning, by its words or by both. */
@Injectable()
export class HybridSearchTool extends ModeSearchTool {
  readonly definition: ToolDefinition = DEFINITION;
  protected readonly mode = 'hybrid';
}

const DEFINITION = modeSearchDefinition({
  name: 'hybrid_search',
  display_name: 'Hybrid search',
  description: 'Finds the passages of your knowledge bases that match the question by meaning and by words.',
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
