import type { JsonObject } from '../../kernel';
import { assignPlaceholders, member, metadataVersion, readToolEntries, type ToolEntry } from '../metadata';
import { checkTool } from './check-tool';
import { type Diagnostic, error } from './diagnostic.types';
import type { MetadataRules } from './metadata-rules.types';

interface PlacedTool {
  readonly tool: ToolEntry;
  readonly placeholder: string | null;
}

/** Tools and functions of one assistant. Each costs queries at every check and every run. */
export const MAX_TOOLS = 100;

/** Said alone: with thousands of tools nothing else is looked at. */
export function checkNumber(metadata: JsonObject): Diagnostic[] {
  const { pipeline, functions } = readToolEntries(metadata);
  const found: Diagnostic[] = [];
  if (pipeline.length > MAX_TOOLS)
    found.push(error('metadata.invalid', 'metadata.tools', `must hold at most ${MAX_TOOLS} tools`));
  if (functions.length > MAX_TOOLS)
    found.push(error('metadata.invalid', 'metadata.functions', `must hold at most ${MAX_TOOLS} functions`));
  return found;
}

/** Each tool by itself, then what only shows between them: duplicates and dependencies. */
export function checkTools(metadata: JsonObject, rules: MetadataRules): Diagnostic[] {
  const { pipeline } = readToolEntries(metadata);
  const placeholders = assignPlaceholders(pipeline, metadataVersion(metadata), rules);
  const placed = pipeline.map((tool, position) => ({ tool, placeholder: placeholders[position] ?? null }));
  return [
    ...pipeline.flatMap((tool) => checkTool(tool, rules)),
    ...checkDuplicates(placed),
    ...checkInstances(pipeline, rules),
    ...checkDependencies(placed),
  ];
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
    return [error('tool.invalid', `metadata.tools[${index}]`, `an assistant can have one ${name} only`)];
  });
}

function dependenciesOf({ tool }: PlacedTool): readonly string[] {
  const names = member(tool.entry, 'depends_on');
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

function checkDependencies(placed: readonly PlacedTool[]): Diagnostic[] {
  const known = new Set(placed.map(({ placeholder }) => placeholder));
  const unknown = placed.flatMap((item) =>
    dependenciesOf(item).flatMap((name, position) =>
      known.has(name)
        ? []
        : [
            error(
              'dependency.unknown',
              `metadata.tools[${item.tool.index}].depends_on[${position}]`,
              'no tool of this assistant has this placeholder',
            ),
          ],
    ),
  );
  const cyclic = toolsOnCycles(placed).map(({ tool }) =>
    error('dependency.cycle', `metadata.tools[${tool.index}].depends_on`, 'leads back to this tool'),
  );
  return [...unknown, ...cyclic];
}

/** Takes away, again and again, tools that wait for none of the rest or that none of the rest waits for. */
function toolsOnCycles(placed: readonly PlacedTool[]): readonly PlacedTool[] {
  let rest = placed.filter((item) => dependenciesOf(item).length > 0);
  for (;;) {
    const names = new Set(rest.map(({ placeholder }) => placeholder));
    const wanted = new Set(rest.flatMap(dependenciesOf));
    const next = rest.filter(
      (item) =>
        dependenciesOf(item).some((name) => names.has(name)) &&
        item.placeholder !== null &&
        wanted.has(item.placeholder),
    );
    if (next.length === rest.length) return rest;
    rest = next;
  }
}
