import { hybridWeightOf } from '../../embedding/hybrid-weight';
import type { KnowledgeBaseEntity } from '../../storage/knowledge-base.entity';

/** Settings that decide the order of passages. */
export interface RankingSettings {
  /** Weight of the vectors: 0 searches by words alone. */
  readonly hybrid_weight: number;
  readonly rerank: boolean;
}

const WEIGHTS = [0, 0.3, 0.5, 0.7];
const DEFAULT_WEIGHT = 0.5;

const isSame = (one: RankingSettings, other: RankingSettings): boolean =>
  one.hybrid_weight === other.hybrid_weight && one.rerank === other.rerank;

export const currentSettings = (row: KnowledgeBaseEntity, hasVectors: boolean): RankingSettings => ({
  hybrid_weight: hasVectors ? hybridWeightOf(row) : 0,
  rerank: row.rerank,
});

/** The current settings first, then those that can run: some weights, and the reranker over the best of them. */
export function alternativesOf(
  current: RankingSettings,
  can: { readonly vectors: boolean; readonly rerank: boolean },
): RankingSettings[] {
  const weights = can.vectors ? WEIGHTS : [0];
  const all = [
    current,
    ...weights.map((hybrid_weight) => ({ hybrid_weight, rerank: false })),
    ...(can.rerank ? [{ hybrid_weight: can.vectors ? DEFAULT_WEIGHT : 0, rerank: true }] : []),
  ];
  return all.filter((each, place) => all.findIndex((other) => isSame(each, other)) === place);
}

/** The wanted settings with the current ones first. */
export const withCurrent = (current: RankingSettings, wanted: readonly RankingSettings[]): RankingSettings[] => [
  current,
  ...wanted.filter((each) => !isSame(each, current)),
];
