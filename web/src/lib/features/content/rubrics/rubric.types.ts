import type { Schema } from '$lib/kit/api/client';

export type Rubric = Schema<'RubricDto'>;
export type RubricDocument = Schema<'RubricDocumentDto'>;
export type Criterion = RubricDocument['criteria'][number];
export type Level = Criterion['levels'][number];

export const SCORING_TYPES = [
  'points',
  'percentage',
  'holistic',
  'single-point',
  'checklist',
] as const satisfies RubricDocument['scoringType'][];
