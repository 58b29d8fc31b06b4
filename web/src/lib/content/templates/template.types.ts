import type { Schema } from '$lib/api/client';

export type PromptTemplate = Schema<'PromptTemplateDto'>;
export type TemplateType = PromptTemplate['type'];
