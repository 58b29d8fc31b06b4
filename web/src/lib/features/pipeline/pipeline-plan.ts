import type { ToolInfo } from '$lib/app/catalogues/assistant';
import { same } from '$lib/kit/ui/differences';
import { compileTemplate, type LabelledSlot, numberedPlaceholder, renameSlots } from '@bellwether/kernel/templates';
import { fillsSlot, numberOf, placeholderTypes, type Rename, slotTypeOf, type ToolEntry } from './pipeline-entry';

export interface PipelineState {
  readonly tools: readonly ToolEntry[];
  readonly template: string;
}

export interface Plan extends PipelineState {
  readonly renames: readonly Rename[];
}

type Renames = ReadonlyMap<string, string | null>;

/** The slots of the automatic template, in the order of their tools. */
export const labelledSlots = (tools: readonly ToolEntry[]): LabelledSlot[] =>
  tools.flatMap((tool) => {
    const { label } = tool.extra;
    if (!fillsSlot(tool) || tool.placeholder === null) return [];
    return [{ name: tool.placeholder, label: typeof label === 'string' ? label : undefined }];
  });

const removed = (number: number, type: string): string => `removed_${number}_${type}`;

/**
 * The tool with `key` at position `toIndex` (from 0), everything numbered by position, switched off tools too. Renames are
 * by tool and simultaneous. A name that stands in the template without a tool and that a tool would get is marked as
 * removed, so that nothing is filled that was empty before.
 */
export function planMove(
  { tools, template }: PipelineState,
  key: number,
  toIndex: number,
  catalogue: readonly ToolInfo[],
): Plan {
  const from = tools.findIndex((tool) => tool.key === key);
  const moving = tools[from];
  if (moving === undefined) return { tools, template, renames: [] };
  const order = tools.toSpliced(from, 1).toSpliced(Math.max(0, Math.min(toIndex, tools.length - 1)), 0, moving);
  const numbered = order.map((tool, index) => {
    const type = slotTypeOf(tool, catalogue);
    const placeholder = type === null ? null : numberedPlaceholder(index + 1, type);
    return placeholder === tool.placeholder ? tool : { ...tool, placeholder };
  });
  const before = new Map(tools.map((tool) => [tool.key, tool.placeholder]));
  const renames = new Map<string, string | null>();
  for (const { key: own, placeholder } of numbered) {
    const old = before.get(own) ?? null;
    if (old !== null && placeholder !== null && !renames.has(old)) renames.set(old, placeholder);
  }
  for (const { placeholder } of numbered) {
    if (placeholder === null || renames.has(placeholder)) continue;
    const type = placeholder.replace(/^\d+_/, '');
    renames.set(placeholder, removed(numberOf(placeholder) ?? 0, type));
  }
  return rename({ tools: numbered, template }, renames, new Set(tools.map(({ placeholder }) => placeholder)));
}

/** Without the tool with `key`; the others keep their numbers, its slots are marked or deleted. */
export function planRemove(
  { tools, template }: PipelineState,
  key: number,
  orphans: 'mark' | 'delete',
  catalogue: readonly ToolInfo[],
): Plan {
  const index = tools.findIndex((tool) => tool.key === key);
  const tool = tools[index];
  if (tool === undefined) return { tools, template, renames: [] };
  const rest = tools.toSpliced(index, 1);
  const { placeholder } = tool;
  if (placeholder === null || rest.some((other) => other.placeholder === placeholder))
    return { tools: rest, template, renames: [] };
  const type = slotTypeOf(tool, catalogue) ?? '';
  const mark = removed(numberOf(placeholder) ?? index + 1, type);
  // What is not in the grammar would stay in the prompt as text.
  const markable = placeholderTypes(catalogue).includes(type);
  const to = orphans === 'mark' && markable ? mark : null;
  const cut = rest.map((other) => withoutDependency(other, placeholder));
  const plan = rename({ tools: cut, template }, new Map([[placeholder, to]]), new Set([placeholder]));
  // A condition cannot lose a part of itself: it keeps a name that no tool will ever have.
  return { ...plan, tools: plan.tools.map((other) => renameIn(other, new Map([[placeholder, mark]]))) };
}

/** Renames slots, dependencies and conditions at once. `owned` are the names of tools, listed even when nothing uses them. */
function rename({ tools, template }: PipelineState, renames: Renames, owned: ReadonlySet<string | null>): Plan {
  const changing = new Map([...renames].filter(([from, to]) => from !== to));
  const present = new Set(
    compileTemplate(template, { types: [], names: [...changing.keys()] }).slots.map(({ name }) => name),
  );
  return {
    tools: tools.map((tool) => renameIn(tool, changing)),
    template: renameSlots(template, changing),
    renames: [...changing].filter(([from]) => owned.has(from) || present.has(from)).map(([from, to]) => ({ from, to })),
  };
}

function withoutDependency(tool: ToolEntry, placeholder: string): ToolEntry {
  const names = tool.extra['depends_on'];
  if (!Array.isArray(names) || !names.includes(placeholder)) return tool;
  return { ...tool, extra: { ...tool.extra, depends_on: names.filter((name) => name !== placeholder) } };
}

/** The tool with the names in its dependencies and its condition renamed; the tool itself when it has none of them. */
function renameIn(tool: ToolEntry, renames: Renames): ToolEntry {
  const extra: Record<string, unknown> = { ...tool.extra };
  const names = extra['depends_on'];
  if (Array.isArray(names))
    extra['depends_on'] = names.map((name: unknown) => (typeof name === 'string' ? renamed(name, renames) : name));
  if ('when' in extra) extra['when'] = renameCondition(extra['when'], renames);
  return same(extra, tool.extra) ? tool : { ...tool, extra };
}

const renamed = (name: string, renames: Renames): string => renames.get(name) ?? name;

const RESULT = /^results\.([^.]+)(|\.[\s\S]*)$/;

function renameCondition(rule: unknown, renames: Renames): unknown {
  if (Array.isArray(rule)) return rule.map((part) => renameCondition(part, renames));
  if (typeof rule !== 'object' || rule === null) return rule;
  return Object.fromEntries(
    Object.entries(rule).map(([operator, operand]) => [
      operator,
      operator === 'var' ? renameVariable(operand, renames) : renameCondition(operand, renames),
    ]),
  );
}

function renameVariable(operand: unknown, renames: Renames): unknown {
  if (Array.isArray(operand)) return operand.map((part, index) => (index === 0 ? renameVariable(part, renames) : part));
  if (typeof operand !== 'string') return operand;
  const [, name, rest] = RESULT.exec(operand) ?? [];
  return name === undefined ? operand : `results.${renamed(name, renames)}${rest ?? ''}`;
}
