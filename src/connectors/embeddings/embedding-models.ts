import type { EmbeddingPurpose } from '../contract';

interface ModelFamily {
  readonly name: RegExp;
  /** Prefix of each kind of text, from the model card. */
  readonly query: string;
  readonly passage: string;
  /** Trained on English texts; vectors of other languages are close to random. */
  readonly english?: true;
}

/**
 * Model families with good published retrieval results (MTEB, model cards), and their prefixes. An index records the
 * prefix of its passages: changing one here requires re-embedding.
 */
const FAMILIES: readonly ModelFamily[] = [
  { name: /nomic-embed-text/, query: 'search_query: ', passage: 'search_document: ', english: true },
  { name: /(?:^|[/-])e5-(?:small|base|large)/, query: 'query: ', passage: 'passage: ', english: true },
  {
    name: /mxbai-embed-large|snowflake-arctic-embed(?!2|-[ml]-v2)|bge-(?:small|base|large)-en/,
    query: 'Represent this sentence for searching relevant passages: ',
    passage: '',
    english: true,
  },
  { name: /embeddinggemma/, query: 'task: search result | query: ', passage: 'title: none | text: ' },
  {
    name: /qwen3-embedding/,
    query: 'Instruct: Given a question, retrieve passages that answer it\nQuery: ',
    passage: '',
  },
  { name: /snowflake-arctic-embed(?:2|-[ml]-v2)/, query: 'query: ', passage: '' },
  { name: /text-embedding-3-(?:small|large)|text-embedding-ada-002/, query: '', passage: '' },
  { name: /gte-large|jina-embeddings-v2-(?:small|base)-en/, query: '', passage: '', english: true },
  { name: /bge-m3|mistral-embed|gte-multilingual|jina-embeddings-v[23]/, query: '', passage: '' },
  // They rank worse than words alone, but with weight 0.5 no English collection ranked worse (bench:retrieval -- fusion).
  {
    name: /universal-sentence-encoder-lite|all-minilm|all-mpnet|multi-qa-mpnet/,
    query: '',
    passage: '',
    english: true,
  },
];

const familyOf = (model: string): ModelFamily | undefined =>
  FAMILIES.find(({ name }) => name.test(model.toLowerCase()));

/** The prefix that tells the model the purpose of a text. */
export const instructionFor = (model: string, purpose: EmbeddingPurpose): string => familyOf(model)?.[purpose] ?? '';

/** Models that put a text near its translations (model cards). */
const MULTILINGUAL =
  /multilingual|text-embedding-3-|bge-m3|mistral-embed|jina-embeddings-v3|embeddinggemma|qwen3-embedding|nomic-embed-text-v2|snowflake-arctic-embed(?:2|-[ml]-v2)/;

/** Whether a question finds passages in other languages. Nothing is assumed about unknown models. */
export const isMultilingualEmbedding = (model: string): boolean => MULTILINGUAL.test(model.toLowerCase());

/** Whether a model of a known family knows all of the languages (ISO 639-1). Nothing is assumed about other models. */
export function ranksWellIn(model: string, languages: readonly string[]): boolean {
  const family = familyOf(model);
  if (family === undefined) return false;
  return family.english !== true || isMultilingualEmbedding(model) || languages.every((each) => each === 'en');
}
