import type { Type } from '@nestjs/common';
import type { EmbeddingProvider } from '../contract';
import { LocalEmbeddingProvider } from './local';
import { OllamaEmbeddingProvider } from './ollama';
import { OpenAiEmbeddingProvider } from './openai';

/** Every source of embeddings. Adding one is a folder and a line. */
export const EMBEDDING_CATALOGUE: readonly Type<EmbeddingProvider>[] = [
  OpenAiEmbeddingProvider,
  OllamaEmbeddingProvider,
  LocalEmbeddingProvider,
];
