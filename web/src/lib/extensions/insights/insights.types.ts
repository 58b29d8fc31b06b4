import type { Schema } from '$lib/kit/api/client';

export type Insights = Schema<'InsightsDto'>;
export type BaseRef = Schema<'MaterialPlaceDto'>;
export type MissedQuestion = Schema<'MissedQuestionDto'>;
export type QuestionGroup = Schema<'QuestionGroupDto'>;
export type UnusedBase = Schema<'UnusedMaterialDto'>;
export type UnusedDocument = Schema<'UnusedDocumentDto'>;

/** Questions of a day or an hour; null where the number is not told. */
export interface Bar {
  readonly label: string;
  readonly questions: number | null;
}
