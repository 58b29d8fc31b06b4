import { fingerprint, type DefinitionBody } from './body';

/** How a difference is shown: side by side as one line, or as a diff of texts. */
type DifferenceKind = 'value' | 'text';

interface Difference {
  /** Path in the definition: `name`, `metadata.tools`. */
  readonly path: string;
  readonly kind: DifferenceKind;
  readonly theirs: string;
  readonly mine: string;
}

const TOP = ['name', 'description', 'system_prompt', 'prompt_template', 'RAG_collections', 'RAG_Top_k'] as const;
const LONG = 80;

/** Every field in which two definitions differ: top members, then the members of the metadata. */
export function differences(theirs: DefinitionBody, mine: DefinitionBody): readonly Difference[] {
  const found = TOP.flatMap((key) => compare(key, theirs[key], mine[key]));
  const keys = new Set([...Object.keys(theirs.metadata), ...Object.keys(mine.metadata)]);
  return [
    ...found,
    ...[...keys].flatMap((key) => compare(`metadata.${key}`, theirs.metadata[key], mine.metadata[key])),
  ];
}

function compare(path: string, theirs: unknown, mine: unknown): Difference[] {
  if (fingerprint(theirs) === fingerprint(mine)) return [];
  const [left, right] = [written(theirs), written(mine)];
  const isLong = [left, right].some((text) => text.length > LONG || text.includes('\n'));
  return [{ path, kind: isLong ? 'text' : 'value', theirs: left, mine: right }];
}

function written(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ');
  return JSON.stringify(value, null, 2);
}
