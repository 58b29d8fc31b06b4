import type { Schema } from '$lib/api/client';

export type PromptTemplate = Schema<'PromptTemplateDto'>;
export type TemplateType = PromptTemplate['type'];

/** Slots that fit each type of assistant, to be put in by a button. Numbers count tools: no two slots share one. */
export const SLOTS: Readonly<Record<TemplateType, readonly string[]>> = {
  classic: ['{user_input}', '{context}'],
  multi_tool: ['{user_input}', '{1_context}', '{2_rubric}', '{3_file}'],
};
