/** Parts of a form that a problem can belong to; the sections and fields carry these as `data-part`. */
export type Part =
  | 'name'
  | 'description'
  | 'connector'
  | 'llm'
  | 'strategy'
  | 'tools'
  | 'functions'
  | 'system_prompt'
  | 'prompt_template'
  | 'prompt_processor'
  | 'rag_processor'
  | 'collections'
  | 'top_k'
  | 'rubric'
  | 'file'
  | 'capabilities'
  | 'other';

export interface Target {
  readonly part: Part;
  /** Position in `metadata.tools`, for problems of one tool. */
  readonly tool: number | null;
}

const BY_PREFIX: readonly (readonly [string, Part])[] = [
  ['name', 'name'],
  ['description', 'description'],
  ['system_prompt', 'system_prompt'],
  ['prompt_template', 'prompt_template'],
  ['template', 'prompt_template'],
  ['RAG_collections', 'collections'],
  ['RAG_Top_k', 'top_k'],
  ['metadata.connector', 'connector'],
  ['metadata.llm', 'llm'],
  ['metadata.orchestrator', 'strategy'],
  ['metadata.tools', 'tools'],
  ['metadata.functions', 'functions'],
  ['metadata.prompt_processor', 'prompt_processor'],
  ['metadata.rag_processor', 'rag_processor'],
  ['metadata.rubric', 'rubric'],
  ['metadata.file_path', 'file'],
  ['metadata.capabilities', 'capabilities'],
];
const TOOL = /^metadata\.tools\[(\d+)\]/;

/** Where in the form a JSON path of the service is edited. */
export function targetOf(path: string): Target {
  const tool = TOOL.exec(path)?.[1];
  const part = BY_PREFIX.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 'other';
  return { part, tool: tool === undefined ? null : Number(tool) };
}

/** Shows the place and puts the focus there; false when the form has no such place. */
export function jumpTo({ part, tool }: Target, root: ParentNode = document): boolean {
  const section = root.querySelector<HTMLElement>(`[data-part="${part}"]`);
  if (section === null) return false;
  const card = tool === null ? undefined : section.querySelectorAll<HTMLElement>('[data-testid="tool-card"]')[tool];
  const place = card ?? section;
  const control = place.querySelector<HTMLElement>(
    card === undefined ? 'input, select, textarea, [contenteditable="true"], button' : '[data-testid="tool-configure"]',
  );
  place.scrollIntoView({ block: 'center' });
  control?.focus({ preventScroll: true });
  return true;
}
