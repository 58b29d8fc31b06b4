export { LocalEmbeddingProvider } from './local.embedding-provider';
