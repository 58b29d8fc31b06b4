/** Parts of a form that a problem can belong to; the sections and fields carry these as `data-part`. */
export type Part =
  | 'name'
  | 'description'
  | 'suggested_questions'
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
  | 'only_from_material'
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
  ['metadata.suggested_questions', 'suggested_questions'],
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
  ['metadata.only_from_material', 'only_from_material'],
];
const CONTROLS = 'input, select, textarea, [contenteditable="true"], button';
const TOOL = /^metadata\.tools\[(\d+)\]/;

/** Place in the form where a JSON path of the service is edited. */
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
  const control =
    place.querySelector<HTMLElement>(card === undefined ? CONTROLS : '[data-testid="tool-configure"]') ??
    place.querySelector<HTMLElement>('summary');
  // Folded sections are opened. Their content may load later; until then the heading has the focus.
  for (const folded of [...place.querySelectorAll<HTMLDetailsElement>(':scope > details'), ...foldedAround(place)])
    folded.open = true;
  place.scrollIntoView({ block: 'center' });
  control?.focus({ preventScroll: true });
  return true;
}

/** The folded places that an element lies in, and itself where it is one. */
function foldedAround(place: Element): readonly HTMLDetailsElement[] {
  const folded = place.closest('details');
  if (folded === null) return [];
  return [folded, ...(folded.parentElement === null ? [] : foldedAround(folded.parentElement))];
}

/** Sections of the forms, in the order of the page; they carry these as `data-section`. */
export const SECTIONS = [
  'basics',
  'instructions',
  'tools',
  'sources',
  'model',
  'students',
  'processing',
  'testing',
] as const;
export type Section = (typeof SECTIONS)[number];

const SECTION_OF: Readonly<Record<Part, Section | null>> = {
  name: 'basics',
  description: 'students',
  suggested_questions: 'students',
  system_prompt: 'instructions',
  prompt_template: 'instructions',
  tools: 'tools',
  strategy: 'tools',
  rag_processor: 'sources',
  collections: 'sources',
  top_k: 'sources',
  rubric: 'sources',
  file: 'sources',
  connector: 'model',
  llm: 'model',
  only_from_material: 'instructions',
  capabilities: 'model',
  functions: 'model',
  prompt_processor: 'processing',
  other: null,
};

export const sectionOf = ({ part }: Target): Section | null => SECTION_OF[part];
