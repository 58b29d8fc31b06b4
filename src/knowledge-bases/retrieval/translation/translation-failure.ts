import { rerankFailure } from '../reranking/rerank-failure';

/** What a translator did instead; null for a defect of this service. */
export const translationFailure = (error: unknown): string | null => rerankFailure(error);

export const translationWarning = (why: string): string =>
  `The translator ${why}: the question was searched for in its own words`;
