import type { EmbeddingsService } from '../../connectors';
import { AppError } from '../../kernel';
import type { Embedding } from '../storage/knowledge-base.types';

export interface TextsToEmbed {
  readonly purpose: 'passage' | 'query';
  readonly texts: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Vectors of length 1 in the order of the texts, comparable with those that `embedding` made before. Rejects like
 * `EmbeddingsService.embed`, and with `embedding_model_mismatch` when the model now gives other dimensions.
 */
export async function embedTexts(
  embeddings: EmbeddingsService,
  organizationId: string,
  { provider, model, dimensions, shortened = false }: Embedding,
  job: TextsToEmbed,
): Promise<readonly (readonly number[])[]> {
  const wanted = shortened ? dimensions : null;
  const vectors = await embeddings.embed(organizationId, { provider, model, dimensions: wanted, ...job });
  const other = vectors.find(({ length }) => length !== dimensions);
  if (other === undefined) return vectors;
  throw new AppError(
    'embedding_model_mismatch',
    `The model ${model} now gives ${other.length} dimensions, but the knowledge base was embedded with ${dimensions}`,
  );
}
