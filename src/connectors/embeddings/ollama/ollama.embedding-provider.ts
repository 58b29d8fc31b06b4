import { Inject, Injectable } from '@nestjs/common';
import { OutboundClient } from '../../../platform/outbound';
import type {
  EmbeddingContext,
  EmbeddingProvider,
  EmbeddingProviderDefinition,
  EmbeddingRequest,
  ModelTarget,
} from '../../contract';
import { callEmbeddings, readVectors } from '../embedding-call';

/** Ollama's `/api/embed` (docs/api.md, "Generate Embeddings"). */
@Injectable()
export class OllamaEmbeddingProvider implements EmbeddingProvider {
  readonly definition: EmbeddingProviderDefinition = {
    name: 'ollama',
    display_name: 'Ollama',
    description: 'Embedding models that run on a machine of the institution.',
    provider: 'ollama',
    needsKey: false,
    models: [],
    maxTexts: 16,
    maxChars: 60_000,
    readChars: null,
    parallel: 1,
  };

  constructor(@Inject(OutboundClient) private readonly outbound: OutboundClient) {}

  async embed(request: EmbeddingRequest, target: ModelTarget, context: EmbeddingContext): Promise<number[][]> {
    const { model, texts, dimensions } = request;
    // Without `truncate: false` it silently embeds the beginning of what is too long.
    const body = { model, input: [...texts], truncate: false, ...(dimensions === null ? {} : { dimensions }) };
    const answer = await callEmbeddings(this.outbound, { path: '/api/embed', body, target, context });
    return readVectors(answer['embeddings']);
  }
}
