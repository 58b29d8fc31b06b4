import type { JsonObject } from '../kernel';
import type { PipelineTool, ToolCatalogue, ToolDefinition, ToolStatistics, ToolStats } from '../tools';
import type { ToolText } from './selection/tool-text.types';

/** What a tool is for in a plan. */
export const ROLES = ['search', 'content', 'personal', 'other', 'synthesis', 'check', 'nothing'] as const;
export type Role = (typeof ROLES)[number];

/** One of the assistant's tools with what the planner knows of it. */
export interface ToolFacts {
  readonly tool: PipelineTool;
  readonly definition: ToolDefinition;
  readonly role: Role;
  /** With what the entry's settings say. For comparing here: nobody is shown it, no model that writes reads it. */
  readonly text: ToolText;
  /** Of the organization, null while nothing was counted. */
  readonly stats: ToolStats | null;
  /** Milliseconds that the tool itself asks for; null where it does not. */
  readonly timeoutMs: number | null;
}

const ROLE_OF_CATEGORY: ReadonlyMap<string, Role> = new Map([
  ['none', 'nothing'],
  ['rag', 'search'],
  ['search', 'search'],
  ['rubric', 'content'],
  ['file', 'content'],
  ['lms', 'personal'],
  ['synthesis', 'synthesis'],
  ['validation', 'check'],
]);

export const roleOf = ({ category, capabilities }: ToolDefinition): Role =>
  ROLE_OF_CATEGORY.get(category) ?? (capabilities.includes('retrieval') ? 'search' : 'other');

/** Unknown plugins are left out: they could only fail. */
export function factsOf(
  tools: readonly PipelineTool[],
  organizationId: string,
  catalogue: ToolCatalogue,
  statistics: Pick<ToolStatistics, 'of'>,
): readonly ToolFacts[] {
  return tools.flatMap((tool): ToolFacts[] => {
    const found = catalogue.find(tool.plugin);
    if (found === undefined) return [];
    const { definition, timeoutMs = null } = found;
    const stats = statistics.of(organizationId, definition.name);
    return [{ tool, definition, role: roleOf(definition), text: textOf(tool, definition), stats, timeoutMs }];
  });
}

const texts = new WeakMap<JsonObject, ToolText>();

/** The settings say what a tool is about here: the names of its collections, its file, its instructions. */
function textOf({ config }: PipelineTool, definition: ToolDefinition): ToolText {
  const known = texts.get(config);
  if (known !== undefined && known.name.startsWith(definition.name)) return known;
  const settings = Object.values(config)
    .flat()
    .filter((value): value is string => typeof value === 'string' && value.length <= 500);
  const text: ToolText = {
    name: `${definition.name} ${definition.display_name}`,
    description: [definition.description, ...settings.filter((value) => !/^[\da-f-]{36}$/i.test(value))].join(' '),
    examples: definition.examples.map(({ query }) => query),
  };
  texts.set(config, text);
  return text;
}
