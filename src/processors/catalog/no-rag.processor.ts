import { Injectable } from '@nestjs/common';
import type { ToolOutput } from '../../tools';
import type { ProcessorDefinition, RagProcessor } from '../contract';

@Injectable()
export class NoRagProcessor implements RagProcessor {
  readonly definition: ProcessorDefinition = {
    name: 'no_rag',
    aliases: ['', 'No RAG', 'none', 'no_tool'],
    description: 'The model answers from the prompt alone.',
    texts: {
      en: { name: 'None', about: 'The model answers from the prompt alone.' },
      es: { name: 'Ninguno', about: 'El modelo responde solo con el prompt.' },
      ca: { name: 'Cap', about: 'El model respon només amb el prompt.' },
      eu: { name: 'Bat ere ez', about: 'Ereduak promptarekin bakarrik erantzuten du.' },
    },
  };

  run(): Promise<ToolOutput> {
    return Promise.resolve({ content: '', sources: [], confidence: null });
  }
}
