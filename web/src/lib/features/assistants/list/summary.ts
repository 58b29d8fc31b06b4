import { metadataOf, type Assistant, type Metadata } from '$lib/app/catalogues/assistant';

/** Parts of an assistant, read from its document. */
export interface Summary {
  /** RAG processor of a classic assistant as stored; null for a multi-tool one. */
  readonly processor: string | null;
  /** Enabled tools of the pipeline, in order. */
  readonly tools: readonly string[];
  readonly functions: readonly string[];
}

const OLD_NAMES: Readonly<Record<string, string>> = {
  rubric: 'rubric_rag',
  single_file: 'single_file_rag',
  no_tool: 'no_rag',
};
const FUNCTION_TYPES = new Set(['assistant', 'knowledge_base', 'image']);

type Entry = Readonly<Record<string, unknown>>;
const isEntry = (value: unknown): value is Entry => typeof value === 'object' && value !== null;
const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const nameOf = (entry: Entry): string | null => text(entry['plugin']) ?? text(entry['type']);
/** Only `type` tells a function from a tool: a `plugin` is a tool of the pipeline, `assistant` included. */
const isTool = (entry: unknown): entry is Entry =>
  isEntry(entry) && (text(entry['plugin']) !== null || !FUNCTION_TYPES.has(text(entry['type']) ?? ''));

const toolsOf = ({ tools = [] }: Metadata): readonly string[] =>
  tools
    .filter(isTool)
    .filter(({ enabled }) => enabled !== false)
    .map(nameOf)
    .filter((name) => name !== null)
    .map((name) => OLD_NAMES[name] ?? name);

/** Each name once, in order of its first place; `50 × simple_rag` for one of several. */
export function counted(names: readonly string[], number: (count: number) => string): readonly string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${number(count)} × ${name}`));
}

/** A name, the label that was given to an assistant or a knowledge base, or what kind of function it is. */
const functionName = (entry: unknown): string | null =>
  isEntry(entry) ? (text(entry['name']) ?? text(entry['type'])) : text(entry);

const functionsOf = ({ tools = [], functions = [] }: Metadata): readonly string[] =>
  [...functions, ...tools.filter((entry) => !isTool(entry))].map(functionName).filter((name) => name !== null);

/** Null where the document is not shown to the reader. */
export function summaryOf(
  assistant: Pick<Assistant, 'type'> & { readonly metadata?: object | undefined },
): Summary | null {
  if (assistant.metadata === undefined || assistant.metadata === null) return null;
  const metadata = metadataOf(assistant);
  const functions = functionsOf(metadata);
  if (assistant.type === 'multi_tool') return { processor: null, tools: toolsOf(metadata), functions };
  return { processor: text(metadata.rag_processor) ?? 'no_rag', tools: [], functions };
}
