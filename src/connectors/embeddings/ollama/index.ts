export { OllamaEmbeddingProvider } from './ollama.embedding-provider';
