import type { JsonObject } from '@bellwether/kernel';

export const RUBRIC_VISIBILITIES = ['private', 'organization'] as const;
export type RubricVisibility = (typeof RUBRIC_VISIBILITIES)[number];

export const SCORING_TYPES = ['points', 'percentage', 'holistic', 'single-point', 'checklist'] as const;
export type ScoringType = (typeof SCORING_TYPES)[number];

export const RUBRIC_FORMATS = ['markdown', 'json'] as const;
export type RubricFormat = (typeof RUBRIC_FORMATS)[number];

export interface RubricLevel {
  readonly id: string;
  readonly score: number;
  readonly label: string;
  readonly description: string;
  readonly order?: number;
}

export interface RubricCriterion {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** At least 0; the weights of a rubric need not sum to 100. */
  readonly weight: number;
  readonly levels: readonly RubricLevel[];
  readonly order?: number;
}

/** LAMB's rubric JSON. Unknown members are kept. */
export interface RubricDocument extends JsonObject {
  readonly rubricId: string;
  readonly title: string;
  readonly description: string;
  readonly metadata: JsonObject;
  readonly criteria: readonly RubricCriterion[];
  readonly scoringType: ScoringType;
  readonly maxScore: number;
}
