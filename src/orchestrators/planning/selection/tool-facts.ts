import type { PipelineTool, ToolCatalogue, ToolDefinition, ToolRole, ToolStatistics, ToolStats } from '../../../tools';
import { profileOf, type ToolProfile } from './tool-profile';
import type { ToolText } from './tool-text.types';

/** One of the assistant's tools with everything that the planner knows of it before a question is asked. */
export interface PlannableTool {
  readonly tool: PipelineTool;
  readonly definition: ToolDefinition;
  readonly role: ToolRole;
  /** The tool's text with the entry's settings, for ranking only: neither callers nor text models see the settings. */
  readonly text: ToolText;
  readonly profile: ToolProfile;
  /** Milliseconds that the tool itself asks for; null where it does not. */
  readonly timeoutMs: number | null;
}

export interface ToolFacts extends PlannableTool {
  /** Statistics of the organization; null before the first call. */
  readonly stats: ToolStats | null;
}

/** Leaves out unknown plugins, whose steps would fail. */
export const plannableTools = (
  tools: readonly PipelineTool[],
  catalogue: Pick<ToolCatalogue, 'find'>,
): readonly PlannableTool[] =>
  tools.flatMap((tool): PlannableTool[] => {
    const found = catalogue.find(tool.plugin);
    if (found === undefined) return [];
    const { definition, timeoutMs = null } = found;
    const text = textOf(tool, definition);
    return [{ tool, definition, role: definition.role ?? 'other', text, profile: profileOf(text), timeoutMs }];
  });

export const factsOf = (
  tools: readonly PlannableTool[],
  organizationId: string,
  statistics: Pick<ToolStatistics, 'of'>,
): readonly ToolFacts[] =>
  tools.map((tool) => ({ ...tool, stats: statistics.of(organizationId, tool.definition.name) }));

/** With words from the settings: names of collections, the file, instructions; and the author's own example questions. */
function textOf({ config, label = '', example_questions = [] }: PipelineTool, definition: ToolDefinition): ToolText {
  const settings = Object.values(config)
    .flat()
    .filter((value): value is string => typeof value === 'string' && value.length <= 500);
  return {
    name: `${definition.name} ${definition.display_name} ${label}`.trim(),
    description: [definition.description, ...settings.filter((value) => !/^[\da-f-]{36}$/i.test(value))].join(' '),
    examples: [...example_questions, ...definition.examples.map(({ query }) => query)],
    translations: Object.values(definition.texts ?? {}).map(({ name, about }) => ({ name, description: about })),
  };
}
