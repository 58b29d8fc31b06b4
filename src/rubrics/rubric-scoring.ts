import type { RubricCriterion, RubricDocument, RubricLevel, ScoringType } from './rubric.types';

/** Criteria sorted by `order`, or by position without it. */
export function orderedCriteria(rubric: RubricDocument): RubricCriterion[] {
  return rubric.criteria
    .map((criterion, index) => ({ criterion, key: criterion.order ?? index }))
    .sort((a, b) => a.key - b.key)
    .map(({ criterion }) => criterion);
}

/** Best level first. */
export const levelsBestFirst = (criterion: RubricCriterion): RubricLevel[] =>
  [...criterion.levels].sort((a, b) => b.score - a.score);

export interface CriterionShare {
  readonly criterion: RubricCriterion;
  readonly levels: readonly RubricLevel[];
  readonly bestScore: number;
  /** Part of the final score that this criterion decides, 0..1. */
  readonly share: number;
}

/** Weights relative to their sum, which need not be 100. If all are 0, they count as equal. */
export function criterionShares(rubric: RubricDocument): CriterionShare[] {
  const criteria = orderedCriteria(rubric);
  const sum = criteria.reduce((total, { weight }) => total + weight, 0);
  return criteria.map((criterion) => {
    const levels = levelsBestFirst(criterion);
    return {
      criterion,
      levels,
      bestScore: levels[0]?.score ?? 0,
      share: sum > 0 ? criterion.weight / sum : 1 / criteria.length,
    };
  });
}

const HOW_TO_JUDGE: Readonly<Record<ScoringType, string>> = {
  points: 'For each criterion choose the one level that describes the work best and take its score.',
  percentage: 'For each criterion choose the one level that describes the work best; the result reads as a percentage.',
  holistic: 'Judge the work as a whole first, then choose for each criterion the level that fits this judgement.',
  'single-point':
    'For each criterion decide whether the work falls short of, meets or exceeds the standard described, and take the score of that level.',
  checklist: 'For each criterion decide which level is met, usually fulfilled or not, and take its score.',
};

export const howToJudge = (rubric: RubricDocument): string => HOW_TO_JUDGE[rubric.scoringType];

/** At most two decimals, without trailing zeros. */
export const shortNumber = (value: number): string => String(Math.round(value * 100) / 100);

/**
 * Formula for the points of a criterion, relative to its best score. `levelScore` is the placeholder for the level's score.
 * Without a positive best score a criterion has no points.
 */
export const pointsFormula = ({ bestScore, share }: CriterionShare, maxScore: number, levelScore: string): string =>
  bestScore > 0 ? `${levelScore} ÷ ${shortNumber(bestScore)} × ${shortNumber(share * maxScore)}` : '0';
