import type { JsonObject } from '../../../kernel';
import { objectMember, textMember } from '../metadata/parse-metadata';
import { assignPlaceholders } from '../metadata/placeholders';
import { readToolEntries, type ToolEntry } from '../metadata/tool-entries';
import { metadataVersion } from '../metadata/version';
import { checkConditions, checkDependencies, type PlacedTool } from './check-dependencies';
import { checkInputs, readByTools } from './check-inputs';
import { checkTool } from './check-tool';
import { type Diagnostic, error } from './diagnostic.types';
import { DEFAULT_STRATEGY } from './check-strategy';
import type { MetadataRules } from './metadata-rules.types';

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
