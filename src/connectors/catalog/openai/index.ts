export { OPENAI } from './openai.connector';
export { OPENAI_EMBEDDINGS } from './openai.embeddings';
