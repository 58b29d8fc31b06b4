import { Inject, Injectable } from '@nestjs/common';
import { isJsonObject } from '../../../kernel';
import { OutboundClient } from '../../../platform/outbound';
import type {
  EmbeddingContext,
  EmbeddingProvider,
  EmbeddingProviderDefinition,
  EmbeddingRequest,
  ModelTarget,
} from '../../contract';
import { badResponse } from '../../transport';
import { callEmbeddings, readVectors } from '../embedding-call';

/** OpenAI's `/embeddings` (API reference, "Create embeddings") and every server that speaks it. */
@Injectable()
export class OpenAiEmbeddingProvider implements EmbeddingProvider {
  readonly definition: EmbeddingProviderDefinition = {
    name: 'openai',
    display_name: 'OpenAI',
    description:
      'OpenAI and any server with the same embeddings API (vLLM, LiteLLM, Mistral, text-embeddings-inference).',
    provider: 'openai',
    needsKey: true,
    models: [],
    // Every self-hosted server takes 32; OpenAI's own limit is far beyond.
    maxTexts: 32,
    maxChars: 120_000,
    readChars: null,
    parallel: 4,
  };

  constructor(@Inject(OutboundClient) private readonly outbound: OutboundClient) {}

  async embed(request: EmbeddingRequest, target: ModelTarget, context: EmbeddingContext): Promise<number[][]> {
    const { model, texts, dimensions } = request;
    const body = { model, input: [...texts], encoding_format: 'float', ...(dimensions === null ? {} : { dimensions }) };
    const answer = await callEmbeddings(this.outbound, { path: '/embeddings', body, target, context });
    return readVectors(inOrder(answer['data']));
  }
}

/** `index` says which text an entry belongs to; nobody promises the order. */
function inOrder(data: unknown): unknown[] {
  if (!Array.isArray(data)) throw badResponse('The answer of the embedding vendor holds no vectors');
  const entries = data.filter(isJsonObject);
  const vectors = new Map(entries.map((entry, at) => [Number(entry['index'] ?? at), entry['embedding']]));
  return entries.map((_, at) => vectors.get(at));
}
