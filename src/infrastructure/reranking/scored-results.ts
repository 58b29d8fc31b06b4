import { isJsonObject } from '../../kernel';
import type { RawScore } from './rerank-dialect.types';

/** `{results: [{index, relevance_score}]}`, the form that several vendors share. */
export function scoredResults(answer: unknown): readonly RawScore[] | null {
  const results = isJsonObject(answer) ? answer['results'] : null;
  if (!Array.isArray(results)) return null;
  return results.map((each: unknown) => {
    const { index, relevance_score: score } = isJsonObject(each) ? each : {};
    return { index, score };
  });
}
