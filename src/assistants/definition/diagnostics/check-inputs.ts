import type { StrategyShape } from '../../../orchestrators';
import { member, objectMember } from '../metadata/parse-metadata';
import { ancestorsOf, type PlacedTool } from './check-dependencies';
import { type Diagnostic, warning } from './diagnostic.types';
import type { MetadataRules } from './metadata-rules.types';

const isEnabled = ({ tool }: PlacedTool): boolean => member(tool.entry, 'enabled') !== false;

/** Warns about tools that read earlier results and will see none. */
export function checkInputs(placed: readonly PlacedTool[], strategy: string, rules: MetadataRules): Diagnostic[] {
  const shape = rules.strategy(strategy)?.shape;
  return placed.flatMap((item, position) => {
    const needs = isEnabled(item) ? rules.needsOf(item.tool.plugin, objectMember(item.tool.entry, 'config')) : null;
    if (needs === null) return [];
    const seen = visibleTo(item, position, placed, shape);
    const found = seen?.some((other) => isEnabled(other) && !other.later && isNeeded(other, needs.tool, rules)) ?? true;
    if (found) return [];
    const path = `metadata.tools[${item.tool.index}]`;
    if (shape?.order === 'parallel' && !item.later)
      return [
        warning('tool.no_input', path, `has nothing to work on: with \`${strategy}\` no tool sees results of others`),
      ];
    const what = needs.tool === null ? 'tool whose result it could read' : `tool \`${needs.tool}\``;
    return [warning('tool.no_input', path, `has nothing to work on: no enabled ${what} runs before it`)];
  });
}

/** Positions in `metadata.tools` of the tools whose results a tool before the answer works on. */
export function readByTools(placed: readonly PlacedTool[], strategy: string, rules: MetadataRules): Set<number> {
  const shape = rules.strategy(strategy)?.shape;
  const read = placed.flatMap((item, position) => {
    const needs = isEnabled(item) ? rules.needsOf(item.tool.plugin, objectMember(item.tool.entry, 'config')) : null;
    if (needs === null || item.later) return [];
    return (visibleTo(item, position, placed, shape) ?? []).filter((other) => isNeeded(other, needs.tool, rules));
  });
  return new Set(read.map(({ tool }) => tool.index));
}

const isNeeded = ({ tool }: PlacedTool, wanted: string | null, rules: MetadataRules): boolean =>
  wanted === null ? rules.placeholderOf(tool.plugin) !== null : rules.canonicalName(tool.plugin) === wanted;

/** Tools whose results this tool sees; null where a plan decides for each question. */
function visibleTo(
  item: PlacedTool,
  position: number,
  placed: readonly PlacedTool[],
  shape: StrategyShape | undefined,
): readonly PlacedTool[] | null {
  const others = placed.filter((other) => other !== item);
  if (item.later || shape?.planned === true) return others;
  switch (shape?.order) {
    case 'chain':
      return placed.slice(0, position);
    case 'parallel':
      return [];
    case 'dependencies': {
      const seen = ancestorsOf(item, placed);
      return others.filter(({ placeholder }) => seen.has(placeholder));
    }
    case undefined:
      return null;
  }
}
