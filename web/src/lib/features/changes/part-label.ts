import type { MessageKey } from '$lib/kit/i18n/keys';
import { t } from '$lib/kit/i18n/i18n.svelte';

const LABELS: Readonly<Record<string, MessageKey>> = {
  name: 'form.name',
  description: 'form.description',
  system_prompt: 'form.system_prompt',
  prompt_template: 'form.template',
  RAG_collections: 'classic.collections',
  RAG_Top_k: 'classic.top_k',
  'metadata.suggested_questions': 'form.suggested_questions',
  'metadata.only_from_material': 'form.only_from_material',
  'metadata.connector': 'form.provider',
  'metadata.llm': 'form.model',
  'metadata.orchestrator': 'form.strategy',
  'metadata.orchestrator_options': 'form.strategy_options',
  'metadata.capabilities': 'form.capabilities',
  'metadata.capabilities.vision': 'form.vision',
  'metadata.capabilities.image_generation': 'form.image_generation',
  'metadata.verbose': 'form.verbose',
  'metadata.tools': 'form.tools',
  'metadata.functions': 'form.functions',
  'metadata.prompt_processor': 'classic.prompt_processor',
  'metadata.rag_processor': 'classic.rag_processor',
  'metadata.rubric_id': 'classic.rubric',
  'metadata.rubric_format': 'classic.rubric_format',
  'metadata.file_path': 'classic.file',
};

/** The name that a form gives to a member of the definition; the path where it has none. */
export function partLabel(path: string): string {
  const key = LABELS[path];
  return key === undefined ? path : t(key);
}
