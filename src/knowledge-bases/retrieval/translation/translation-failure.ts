import { rerankFailure } from '../reranking/rerank-failure';

/** Reason why the translator did not translate, for a warning; null for a defect of this service. */
export const translationFailure = (error: unknown): string | null => rerankFailure(error);

export const translationWarning = (why: string): string =>
  `The translator ${why}: the question was searched for in its own words`;
