import { Injectable } from '@nestjs/common';
import type { Embedding } from '../knowledge-base.types';

@Injectable()
export class QueryEmbedder {
  /**
   * The vector of a question, of length 1, to search an index that was made with `embedding` (`vectorEmbedding` of the
   * knowledge base). Rejects with an `AppError`: `upstream_*`, `connector_not_configured`, `secret_unavailable`,
   * `outbound_refused`, `cancelled`; `conflict` when the provider's answer has other dimensions than the index.
   */
  embed(
    _organizationId: string,
    _embedding: Embedding,
    _text: string,
    _signal: AbortSignal,
  ): Promise<readonly number[]> {
    return Promise.reject(new Error('not built yet'));
  }
}
