import type { OutboundClient } from '../../../platform/outbound';
import type {
  EmbeddingContext,
  EmbeddingPlugin,
  EmbeddingProvider,
  EmbeddingProviderDefinition,
  EmbeddingRequest,
  ModelTarget,
} from '../../contract';
import { callEmbeddings, readVectors } from '../../embeddings/embedding-call';
import { OLLAMA_VENDOR } from './ollama.vendor';

const DEFINITION: EmbeddingProviderDefinition = {
  name: 'ollama',
  display_name: 'Ollama',
  description: 'Embedding models that run on a machine of the institution.',
  vendor: OLLAMA_VENDOR,
  maxTexts: 16,
  maxChars: 60_000,
  parallel: 1,
};

/** Ollama's `/api/embed` (docs/api.md, "Generate Embeddings"). */
class OllamaEmbeddingProvider implements EmbeddingProvider {
  readonly definition = DEFINITION;

  constructor(private readonly outbound: OutboundClient) {}

  async embed(request: EmbeddingRequest, target: ModelTarget, context: EmbeddingContext): Promise<number[][]> {
    const { model, texts, dimensions } = request;
    // Without `truncate: false` it silently embeds the beginning of what is too long.
    const body = { model, input: [...texts], truncate: false, ...(dimensions === null ? {} : { dimensions }) };
    const answer = await callEmbeddings(this.outbound, { path: '/api/embed', body, target, context });
    return readVectors(answer['embeddings']);
  }
}

export const OLLAMA_EMBEDDINGS: EmbeddingPlugin = {
  definition: DEFINITION,
  connect: (outbound) => new OllamaEmbeddingProvider(outbound),
};
