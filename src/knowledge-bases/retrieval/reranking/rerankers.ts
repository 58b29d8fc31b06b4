import { Injectable, Logger } from '@nestjs/common';
import { RerankerService } from '../../../connectors';
import type { RetrievalQuery } from '../passages/retrieval.types';
import { RERANKED, Reranking } from './reranking';
import { rerankFailure } from './rerank-failure';

const NEVER = new AbortController().signal;

/** Begins the reranking of queries. */
@Injectable()
export class Rerankers {
  private readonly logger = new Logger(Rerankers.name);

  constructor(private readonly service: RerankerService) {}

  /** `bases`: knowledge bases that are searched. Null when no passage of the query may be sent to a reranker. */
  begin(
    organizationId: string,
    bases: readonly { readonly id: string; readonly rerank: boolean }[],
    { text: question, rerank, signal = NEVER }: Pick<RetrievalQuery, 'text' | 'rerank' | 'signal'>,
  ): Reranking | null {
    const chosen = new Set(bases.flatMap((base) => ((rerank ?? base.rerank) ? [base.id] : [])));
    if (chosen.size === 0 && rerank !== true) return null;
    return new Reranking({ bases: chosen, external: rerank === true }, async (passages) => {
      try {
        return await this.service.scores(organizationId, { question, passages, signal });
      } catch (error) {
        signal.throwIfAborted();
        const why = rerankFailure(error);
        if (why === null) this.logger.warn({ msg: 'passages could not be reranked', error });
        return why ?? 'failed';
      }
    });
  }
}

/** Candidates that a reranked search needs for `topK` passages. */
export const rerankDepth = (topK: number): number => Math.max(RERANKED, topK) + 10;
