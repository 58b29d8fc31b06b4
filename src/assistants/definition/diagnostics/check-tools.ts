import type { JsonObject } from '@bellwether/kernel';
import type { StrategyShape } from '../../../orchestrators';
import { member, objectMember, textMember } from '../metadata/parse-metadata';
import { type ToolEntry, assignPlaceholders, readToolEntries } from '../metadata/tool-entries';
import { metadataVersion } from '../metadata/version';
import { DEFAULT_STRATEGY, type PlacedTool, ancestorsOf, checkConditions, checkDependencies } from './check-strategy';
import { checkTool } from './check-tool';
import { type Diagnostic, type MetadataRules, error, warning } from './diagnostic.types';

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

/** Limit for tools, and for functions. Each costs queries at every check and every run. */
export const MAX_TOOLS = 100;

const CROWD = { reason: 'value.max_items', limit: MAX_TOOLS };
const ONLY_ONE = { reason: 'tool.only_one' };

/** The only check of a document with too many entries. */
export function checkNumber(metadata: JsonObject): Diagnostic[] {
  const { pipeline, functions } = readToolEntries(metadata);
  const found: Diagnostic[] = [];
  if (pipeline.length > MAX_TOOLS)
    found.push(error('metadata.invalid', 'metadata.tools', `must hold at most ${MAX_TOOLS} tools`, CROWD));
  if (functions.length > MAX_TOOLS)
    found.push(error('metadata.invalid', 'metadata.functions', `must hold at most ${MAX_TOOLS} functions`, CROWD));
  return found;
}

/** Checks each tool, then duplicates, dependencies and conditions between tools. */
export function checkTools(metadata: JsonObject, rules: MetadataRules): Diagnostic[] {
  const { pipeline } = readToolEntries(metadata);
  const placed = placedTools(metadata, rules);
  const strategy = textMember(metadata, 'orchestrator');
  return [
    ...pipeline.flatMap((tool) => checkTool(tool, rules)),
    ...checkDuplicates(placed),
    ...checkInstances(pipeline, rules),
    ...checkDependencies(placed),
    ...checkConditions(placed, strategy),
    ...checkInputs(placed, strategy ?? DEFAULT_STRATEGY, rules),
  ];
}

/** Tools whose results reach the prompt through another tool, by their positions in `metadata.tools`. */
export const toolsReadByTools = (metadata: JsonObject, rules: MetadataRules): ReadonlySet<number> =>
  readByTools(placedTools(metadata, rules), textMember(metadata, 'orchestrator') ?? DEFAULT_STRATEGY, rules);

function placedTools(metadata: JsonObject, rules: MetadataRules): PlacedTool[] {
  const { pipeline } = readToolEntries(metadata);
  const placeholders = assignPlaceholders(pipeline, metadataVersion(metadata), rules);
  return pipeline.map((tool, position) => {
    const later = rules.looksAtAnswer(tool.plugin, objectMember(tool.entry, 'config'));
    return { tool, placeholder: placeholders[position] ?? null, later };
  });
}

function checkDuplicates(placed: readonly PlacedTool[]): Diagnostic[] {
  const first = new Map<string, number>();
  return placed.flatMap(({ tool, placeholder }) => {
    if (placeholder === null) return [];
    const earlier = first.get(placeholder);
    if (earlier === undefined) {
      first.set(placeholder, tool.index);
      return [];
    }
    const path = `metadata.tools[${tool.index}].placeholder`;
    return [error('placeholder.duplicate', path, `already belongs to tools[${earlier}]`)];
  });
}

function checkInstances(pipeline: readonly ToolEntry[], rules: MetadataRules): Diagnostic[] {
  const seen = new Set<string>();
  return pipeline.flatMap(({ plugin, index }) => {
    const name = rules.canonicalName(plugin);
    if (!seen.has(name) || rules.allowsMultiple(name)) {
      seen.add(name);
      return [];
    }
    return [error('tool.invalid', `metadata.tools[${index}]`, `an assistant can have one ${name} only`, ONLY_ONE)];
  });
}
