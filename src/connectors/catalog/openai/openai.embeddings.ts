import { isJsonObject } from '../../../kernel';
import type { OutboundClient } from '../../../platform/outbound';
import type {
  EmbeddingContext,
  EmbeddingPlugin,
  EmbeddingProvider,
  EmbeddingProviderDefinition,
  EmbeddingRequest,
  ModelTarget,
} from '../../contract';
import { badResponse } from '../../transport';
import { callEmbeddings, readVectors } from '../../embeddings/embedding-call';
import { OPENAI_VENDOR } from './openai.vendor';

const DEFINITION: EmbeddingProviderDefinition = {
  name: 'openai',
  display_name: 'OpenAI',
  description:
    'OpenAI and any server with the same embeddings API (vLLM, LiteLLM, Mistral, text-embeddings-inference).',
  vendor: OPENAI_VENDOR,
  // Every self-hosted server takes 32; OpenAI's own limit is far beyond.
  maxTexts: 32,
  maxChars: 120_000,
  parallel: 4,
};

/** OpenAI's `/embeddings` (API reference, "Create embeddings") and every server that speaks it. */
class OpenAiEmbeddingProvider implements EmbeddingProvider {
  readonly definition = DEFINITION;

  constructor(private readonly outbound: OutboundClient) {}

  async embed(request: EmbeddingRequest, target: ModelTarget, context: EmbeddingContext): Promise<number[][]> {
    const { model, texts, dimensions } = request;
    const body = { model, input: [...texts], encoding_format: 'float', ...(dimensions === null ? {} : { dimensions }) };
    const answer = await callEmbeddings(this.outbound, { path: '/embeddings', body, target, context });
    return readVectors(inOrder(answer['data']));
  }
}

export const OPENAI_EMBEDDINGS: EmbeddingPlugin = {
  definition: DEFINITION,
  connect: (outbound) => new OpenAiEmbeddingProvider(outbound),
};

/** `index` says which text an entry belongs to; entries may come in any order. */
function inOrder(data: unknown): unknown[] {
  if (!Array.isArray(data)) throw badResponse('The answer of the embedding vendor holds no vectors');
  const entries = data.filter(isJsonObject);
  const vectors = new Map(entries.map((entry, at) => [Number(entry['index'] ?? at), entry['embedding']]));
  return entries.map((_, at) => vectors.get(at));
}
