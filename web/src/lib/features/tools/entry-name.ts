import { catalogues } from '$lib/app/catalogues/catalogues.svelte';
import type { ToolInfo } from '$lib/app/catalogues/assistant';
import type { Config } from '$lib/features/schema-form/schema-form';
import type { Names } from './names.svelte';
import { referencesIn } from './summary';
import { toolName } from './texts';

/** A tool of a pipeline: as it is stored, or while it is edited. */
export interface NamedEntry {
  readonly plugin: string;
  readonly config?: Config;
  readonly label?: unknown;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Characters of a label, as the service counts them. */
export const MAX_LABEL = 80;
/** References that a name spells out. */
const SPELT_OUT = 2;

/** The name that the author gave the tool; null without one. */
export function labelOf({ label, extra }: Pick<NamedEntry, 'label' | 'extra'>): string | null {
  const given = extra?.['label'] ?? label;
  return typeof given === 'string' && given.trim() !== '' ? given.trim() : null;
}

/** The knowledge bases, rubric, file or assistant that the tool reads; null while nothing is chosen or known. */
function contentName({ plugin, config = {} }: NamedEntry, names: Names): string | null {
  const read = referencesIn(plugin, config).map(({ kind, reference }) => {
    const name = names.of(kind, reference);
    return kind === 'file' ? (name?.split('/').at(-1) ?? null) : name;
  });
  if (read.length === 0 || read.includes(null)) return null;
  const rest = read.length - SPELT_OUT;
  return [read.slice(0, SPELT_OUT).join(', '), ...(rest > 0 ? [`+${rest}`] : [])].join(' ');
}

/** The name of one tool of an assistant for people: its label, else what it reads, else its kind. */
export function entryName(entry: NamedEntry, names: Names, info?: ToolInfo): string {
  const kind = info ?? catalogues.knownTool(entry.plugin, 'pipeline');
  return labelOf(entry) ?? contentName(entry, names) ?? (kind === undefined ? entry.plugin : toolName(kind));
}
