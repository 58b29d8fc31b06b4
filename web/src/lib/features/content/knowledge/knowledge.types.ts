import type { Schema } from '$lib/kit/api/client';

export type KnowledgeBase = Schema<'KnowledgeBaseDto'>;
export type NewKnowledgeBase = Schema<'CreateKnowledgeBaseDto'>;
export type KnowledgeDocument = Schema<'DocumentDto'>;
export type DocumentStatus = KnowledgeDocument['status'];
export type KnowledgeSource = Schema<'SourceDto'>;
export type QueryAnswer = Schema<'QueryAnswerDto'>;
export type RetrievalMode = QueryAnswer['mode'];
export type Language = NonNullable<NewKnowledgeBase['language']>;

export const DOCUMENT_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const satisfies DocumentStatus[];
/** The interface's languages first, then the others by their codes. */
export const LANGUAGES = [
  ...(['en', 'es', 'ca', 'eu'] as const),
  ...(['da', 'de', 'fi', 'fr', 'ga', 'hu', 'id', 'it', 'lt', 'nl', 'no', 'pt', 'ro', 'ru', 'sv', 'tr'] as const),
] satisfies Language[];
export const MEBIBYTE = 1024 * 1024;
