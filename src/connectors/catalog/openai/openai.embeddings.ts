import { isJsonObject } from '@bellwether/kernel';
import type { CreateEmbeddingResponse } from 'openai/resources/embeddings';
import type { EmbeddingAbility, EmbeddingWire } from '../../contract';

export const OPENAI_EMBEDDINGS: EmbeddingAbility = {
  defaultModel: 'text-embedding-3-small',
  // Every self-hosted server takes 32; OpenAI's own limit is far beyond.
  maxTexts: 32,
  maxChars: 120_000,
  parallel: 4,
};

/** The SDK sees neither address nor key: our `fetch` adds both. With `OPENAI_LOG=debug` it would log the texts. */
const OWN = {
  apiKey: 'unused',
  organization: null,
  project: null,
  baseURL: 'http://vendor.invalid',
  logLevel: 'off',
} as const;

/** OpenAI's `/embeddings` (API reference, "Create embeddings") and every server that speaks it. */
export const embedWithOpenAi: EmbeddingWire = async ({ model, texts, dimensions }, { fetch }) => {
  // Loaded on first use: it would be a tenth of the start.
  const { default: OpenAI } = await import('openai');
  const client = new OpenAI({ ...OWN, fetch, maxRetries: 0 });
  const asked = { model, input: [...texts], encoding_format: 'float' as const };
  return inOrder(await client.embeddings.create(dimensions === null ? asked : { ...asked, dimensions }));
};

/** `index` names the text of an entry. Entries may come in any order; compatible servers may omit it. */
function inOrder({ data }: Partial<CreateEmbeddingResponse>): unknown {
  if (!Array.isArray(data)) return data;
  const entries = (data as unknown[]).filter(isJsonObject);
  const vectors = new Map(entries.map((entry, at) => [Number(entry['index'] ?? at), entry['embedding']]));
  return entries.map((_, at) => vectors.get(at));
}
