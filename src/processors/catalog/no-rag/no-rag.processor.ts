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

  async run(): Promise<ToolOutput> {
    return { content: '', sources: [], confidence: null };
  }
}
