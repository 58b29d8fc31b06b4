import type { Schema } from '$lib/kit/api/client';
import { i18n, t } from '$lib/kit/i18n/i18n.svelte';

export type Judgement = Schema<'JudgementDto'>;
export type Evaluation = Schema<'EvaluationDto'>;
export type Alternative = Schema<'AlternativeDto'>;

/** Effect of these settings, in words. */
export function settingsText({ hybrid_weight: weight, rerank }: Alternative): string {
  const search =
    weight === 0
      ? t('ranking.words')
      : weight === 1
        ? t('ranking.meaning')
        : t('ranking.mixed', { weight: i18n.number(weight) });
  return rerank ? t('ranking.with_reranker', { search }) : search;
}
