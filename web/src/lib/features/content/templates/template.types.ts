import type { Schema } from '$lib/kit/api/client';

export type PromptTemplate = Schema<'PromptTemplateDto'>;
export type TemplateType = PromptTemplate['type'];
