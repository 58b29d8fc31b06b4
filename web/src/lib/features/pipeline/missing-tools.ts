import type { ToolInfo } from '$lib/app/catalogues/assistant';
import { compileTemplate, numberedPlaceholder } from '@bellwether/kernel/templates';
import { initialConfig, numberOf, placeholderTypes, type ToolEntry } from './pipeline-entry';
import type { PipelineState } from './pipeline-plan';

/** The number that the next tool gets: the highest + 1. */
export const nextNumber = (tools: readonly ToolEntry[]): number =>
  Math.max(tools.length, ...tools.map(({ placeholder }) => numberOf(placeholder) ?? 0)) + 1;

/**
 * New tools for the slots that no tool fills, in the order of their numbers, as far as the next numbers fit. Of several
 * tools that fill one kind of slot the first of the catalogue is taken.
 */
export function missingTools(
  { tools, template }: PipelineState,
  catalogue: readonly ToolInfo[],
  firstKey: number,
): readonly ToolEntry[] {
  const known = tools.flatMap(({ placeholder }) => placeholder ?? []);
  const empty = compileTemplate(template, { types: placeholderTypes(catalogue), names: known })
    .slots.map(({ name }) => name)
    .filter((name) => numberOf(name) !== null && !known.includes(name))
    .sort((one, other) => (numberOf(one) ?? 0) - (numberOf(other) ?? 0));
  const added: ToolEntry[] = [];
  for (const placeholder of new Set(empty)) {
    const number = nextNumber([...tools, ...added]);
    const info = catalogue.find(
      ({ kind, placeholder: type }) =>
        kind === 'pipeline' && type !== null && numberedPlaceholder(number, type) === placeholder,
    );
    if (info === undefined) continue;
    const config = initialConfig(info);
    added.push({ key: firstKey + added.length, plugin: info.name, placeholder, enabled: true, config, extra: {} });
  }
  return added;
}
