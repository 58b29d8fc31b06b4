import { api, idempotencyKey, must } from '$lib/kit/api/client';

export interface ToolToRun {
  readonly plugin: string;
  /** Without braces; null for tools that fill no slot. */
  readonly placeholder: string | null;
  readonly config?: unknown;
}

/** A placeholder of the only tool: `3_context` becomes `1_context`. */
const first = (placeholder: string): string => placeholder.replace(/^\d+_/, '1_');

/** The definition of an assistant that has this tool alone. */
export function definitionOf({ plugin, placeholder, config }: ToolToRun): object {
  const slot = placeholder === null ? null : first(placeholder);
  const tool = { plugin, ...(slot === null ? {} : { placeholder: slot }), enabled: true, config: config ?? {} };
  return {
    name: plugin,
    prompt_template: slot === null ? '{user_input}' : `{${slot}}`,
    metadata: { assistant_type: 'multi_tool', orchestrator: 'sequential', connector: 'auto', tools: [tool] },
  };
}

/** Starts a run of the tool with the question; no model is asked. Its report has the result. */
export async function runAlone(tool: ToolToRun, assistantId: number | null, question: string): Promise<string> {
  const body = {
    definition: definitionOf(tool),
    ...(assistantId === null ? {} : { assistant_id: assistantId }),
    messages: [{ role: 'user', content: question }],
    verbose: true,
  };
  const started = must(
    await api.POST('/api/v1/runs', { headers: { 'Idempotency-Key': idempotencyKey() }, body: body as never }),
  ) as { readonly run_id: string };
  return started.run_id;
}
