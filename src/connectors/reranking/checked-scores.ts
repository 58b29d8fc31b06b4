import type { RawScore } from '../../infrastructure/reranking';

/** One finite score per passage, each passage once; null for anything else. */
export function checkedScores(raw: readonly RawScore[] | null, count: number): readonly number[] | null {
  if (raw?.length !== count) return null;
  const scores = new Map<number, number>();
  for (const { index, score } of raw) {
    const isAsked = typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < count;
    if (!isAsked || scores.has(index) || typeof score !== 'number' || !Number.isFinite(score)) return null;
    scores.set(index, score);
  }
  return Array.from({ length: count }, (_, index) => scores.get(index) ?? 0);
}
