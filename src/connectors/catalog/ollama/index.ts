export { OLLAMA } from './ollama.connector';
export { OLLAMA_EMBEDDINGS } from './ollama.embeddings';
