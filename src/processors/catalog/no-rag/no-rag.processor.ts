import { Injectable } from '@nestjs/common';
import type { ToolOutput } from '../../../tools';
import type { ProcessorDefinition, RagProcessor } from '../../contract';

@Injectable()
export class NoRagProcessor implements RagProcessor {
  readonly fetches = false;
  readonly definition: ProcessorDefinition = {
    name: 'no_rag',
    aliases: ['', 'No RAG', 'none'],
    description: 'Fetches nothing.',
  };

  run(): Promise<ToolOutput> {
    return Promise.resolve({ content: '', sources: [], confidence: null });
  }
}
