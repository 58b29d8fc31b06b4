import type { FunctionEntry, Metadata, PipelineTool } from '$lib/app/catalogues/assistant';
import { fingerprint, same } from '$lib/kit/ui/differences';

/** The members of a definition that are compared. Absent members are equal to empty ones. */
export interface Comparable {
  readonly name?: string;
  readonly description?: string;
  readonly system_prompt?: string;
  readonly prompt_template?: string;
  readonly metadata?: Metadata;
  readonly RAG_collections?: readonly string[];
  readonly RAG_Top_k?: number;
}

export type Part = 'tool' | 'function';
export type Entry = FunctionEntry | PipelineTool;

/** One difference between two definitions. The page words it in the reader's language. */
export type Change =
  /** A long text: `lines` of it differ. */
  | { readonly key: 'text'; readonly path: string; readonly lines: number; readonly from: string; readonly to: string }
  | { readonly key: 'value'; readonly path: string; readonly from: unknown; readonly to: unknown }
  | { readonly key: 'added' | 'removed' | 'switched_on' | 'switched_off'; readonly part: Part; readonly entry: Entry }
  | { readonly key: 'moved'; readonly part: Part; readonly entry: Entry; readonly from: number; readonly to: number }
  | {
      readonly key: 'setting';
      readonly part: Part;
      readonly entry: Entry;
      readonly path: string;
      readonly from: unknown;
      readonly to: unknown;
    };

const TEXTS = ['description', 'system_prompt', 'prompt_template'] as const;
/** Keys that the service writes; people decide nothing by them. */
const WRITTEN_BY_THE_SERVICE: ReadonlySet<string> = new Set([
  '_format_version',
  'assistant_type',
  'tools',
  'functions',
  'capabilities.tool_use',
]);
/** Members of a tool's entry that are listed apart from its settings. */
const OF_THE_ENTRY: ReadonlySet<string> = new Set(['plugin', 'type', 'enabled', 'config']);

/** Changes from `before` to `after`, in the order in which a form shows them. Empty when nothing changes. */
export function changesOf(before: Comparable, after: Comparable): readonly Change[] {
  const [old, now] = [before.metadata ?? {}, after.metadata ?? {}];
  return [
    ...value('name', before.name ?? '', after.name ?? ''),
    ...TEXTS.flatMap((path) => text(path, before[path] ?? '', after[path] ?? '')),
    ...value('RAG_collections', before.RAG_collections ?? [], after.RAG_collections ?? []),
    ...(before.RAG_Top_k === undefined || after.RAG_Top_k === undefined
      ? []
      : value('RAG_Top_k', before.RAG_Top_k, after.RAG_Top_k)),
    ...(isMultiTool(old) === isMultiTool(now) ? [] : value('type', typeOf(old), typeOf(now))),
    ...members(old, now),
    ...entries('tool', listOf(old.tools), listOf(now.tools)),
    ...entries('function', listOf(old.functions), listOf(now.functions)),
  ];
}

function members(before: Metadata, after: Metadata): readonly Change[] {
  const [old, now] = [flat(before), flat(after)];
  const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (key) => !WRITTEN_BY_THE_SERVICE.has(key),
  );
  const isPipeline = isMultiTool(before) || isMultiTool(after);
  return keys.flatMap((key) => {
    // Strategies are told even where the document leaves the default out.
    const standard = key === 'orchestrator' && isPipeline ? 'sequential' : SWITCHES.has(key) ? false : undefined;
    return value(`metadata.${key}`, old[key] ?? standard, now[key] ?? standard);
  });
}

/** Members that are off where the document leaves them out. */
const SWITCHES: ReadonlySet<string> = new Set(['verbose', 'capabilities.vision', 'capabilities.image_generation']);

/** Each capability as a member of its own. */
const flat = ({ capabilities, ...rest }: Metadata): Readonly<Record<string, unknown>> => ({
  ...rest,
  ...Object.fromEntries(Object.entries(capabilities ?? {}).map(([key, on]) => [`capabilities.${key}`, on])),
});

const value = (path: string, from: unknown, to: unknown): readonly Change[] =>
  isSame(from, to) ? [] : [{ key: 'value', path, from, to }];

function text(path: string, from: string, to: string): readonly Change[] {
  return from === to ? [] : [{ key: 'text', path, lines: changedLines(from, to), from, to }];
}

/** Lines of the longer text that are not at the same place in the other one, after equal beginnings and ends. */
export function changedLines(from: string, to: string): number {
  const [a, b] = [from.split('\n'), to.split('\n')];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length !== right.length) return Math.max(left.length, right.length);
  return left.filter((line, index) => line !== right[index]).length;
}

function entries(part: Part, before: readonly Entry[], after: readonly Entry[]): readonly Change[] {
  const pairs = pairsOf(before, after);
  const removed = before.filter((_, index) => !pairs.some(([old]) => old === index));
  const added = after.filter((_, index) => !pairs.some(([, now]) => now === index));
  const moved = new Set(movedOf(pairs));
  return [
    ...removed.map((entry): Change => ({ key: 'removed', part, entry })),
    ...added.map((entry): Change => ({ key: 'added', part, entry })),
    ...pairs.flatMap(([from, to]): readonly Change[] => {
      const [old, now] = [before[from], after[to]];
      if (old === undefined || now === undefined) return [];
      const move: Change = { key: 'moved', part, entry: now, from: from + 1, to: to + 1 };
      return [...(moved.has(to) ? [move] : []), ...changesWithin(part, old, now)];
    }),
  ];
}

type Pair = readonly [from: number, to: number];

/** Pairs entries of both lists: equal ones, then those of the same placeholder or target, then those of one kind in order. */
function pairsOf(before: readonly Entry[], after: readonly Entry[]): readonly Pair[] {
  const pairs: Pair[] = [];
  const rules: readonly ((entry: Entry) => string)[] = [
    (entry) => fingerprint(typeof entry === 'string' ? entry : { ...entry, placeholder: undefined }),
    (entry) => fingerprint([kindOf(entry), identityOf(entry)]),
    (entry) => kindOf(entry),
  ];
  for (const key of rules) {
    for (const [from, entry] of before.entries()) {
      if (pairs.some(([old]) => old === from)) continue;
      const to = after.findIndex((other, at) => key(other) === key(entry) && !pairs.some(([, now]) => now === at));
      if (to >= 0) pairs.push([from, to]);
    }
  }
  return pairs.sort(([, a], [, b]) => a - b);
}

/** Entries that changed places among those that both lists have: all but a longest run that kept its order. */
function movedOf(pairs: readonly Pair[]): readonly number[] {
  const best: number[][] = [];
  for (const [index, [from]] of pairs.entries()) {
    const before = best.filter((run) => (pairs[run.at(-1) ?? 0]?.[0] ?? 0) < from);
    best.push([...before.reduce<number[]>((one, other) => (other.length > one.length ? other : one), []), index]);
  }
  const kept = new Set(best.reduce<number[]>((one, other) => (other.length > one.length ? other : one), []));
  return pairs.flatMap(([, to], index) => (kept.has(index) ? [] : [to]));
}

function changesWithin(part: Part, old: Entry, now: Entry): readonly Change[] {
  if (typeof old === 'string' || typeof now === 'string') return [];
  const wasOn = old['enabled'] !== false;
  const isOn = now['enabled'] !== false;
  const switched: readonly Change[] =
    wasOn === isOn ? [] : [{ key: isOn ? 'switched_on' : 'switched_off', part, entry: now }];
  const setting = (path: string, from: unknown, to: unknown): readonly Change[] =>
    isSame(from, to) ? [] : [{ key: 'setting', part, entry: now, path, from, to }];
  const [config, next] = [recordOf(old['config']), recordOf(now['config'])];
  return [
    ...switched,
    ...keysOf(old, now).flatMap((key) => (OF_THE_ENTRY.has(key) ? [] : setting(key, old[key], now[key]))),
    ...keysOf(config, next).flatMap((key) => setting(key, config[key], next[key])),
  ];
}

type Values = Readonly<Record<string, unknown>>;

const keysOf = (one: Values, other: Values): readonly string[] => [
  ...new Set([...Object.keys(one), ...Object.keys(other)]),
];
const recordOf = (given: unknown): Values => (typeof given === 'object' && given !== null ? (given as Values) : {});
const listOf = (given: unknown): readonly Entry[] => (Array.isArray(given) ? (given as Entry[]) : []);

/** Kind of an entry, by the name of its plugin. */
export function kindOf(entry: Entry): string {
  if (typeof entry === 'string') return entry;
  const { plugin, type } = entry as Values;
  return String(plugin ?? type ?? '');
}

/** Value that tells two entries of one kind apart. */
const identityOf = (entry: Entry): unknown => {
  if (typeof entry === 'string') return entry;
  const { assistant_id, kb_id, rubric_id, server, placeholder } = entry as Values;
  return assistant_id ?? kb_id ?? rubric_id ?? server ?? placeholder;
};

const isMultiTool = ({ assistant_type }: Metadata): boolean => assistant_type === 'multi_tool';
const typeOf = (metadata: Metadata): string => (isMultiTool(metadata) ? 'multi_tool' : 'classic');

/** Empty members say the same as absent ones. */
function isSame(one: unknown, other: unknown): boolean {
  return same(one ?? null, other ?? null) || (isEmpty(one) && isEmpty(other));
}
const isEmpty = (given: unknown): boolean =>
  given === undefined || given === null || given === '' || fingerprint(given) === '[]' || fingerprint(given) === '{}';
