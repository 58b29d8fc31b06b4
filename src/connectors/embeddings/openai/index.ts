export { OpenAiEmbeddingProvider } from './openai.embedding-provider';
