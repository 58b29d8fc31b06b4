import type { EmbeddingAbility, EmbeddingWire } from '../../contract';

export const OLLAMA_EMBEDDINGS: EmbeddingAbility = {
  defaultModel: 'nomic-embed-text',
  maxTexts: 16,
  maxChars: 60_000,
  parallel: 1,
};

/** Ollama's `/api/embed` (docs/api.md, "Generate Embeddings"). */
export const embedWithOllama: EmbeddingWire = async ({ model, texts, dimensions }, { post }) => {
  // Without `truncate: false` Ollama silently cuts long texts.
  const body = { model, input: [...texts], truncate: false, ...(dimensions === null ? {} : { dimensions }) };
  return (await post('/api/embed', body))['embeddings'];
};
