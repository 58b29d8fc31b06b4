import type { ToolInfo } from '$lib/app/catalogues/assistant';

/** Headings of the menu, in this order; the categories of the service that stand below each. */
export const TOOL_GROUPS = [
  { group: 'material', categories: ['rag', 'search'] },
  { group: 'files', categories: ['file'] },
  { group: 'feedback', categories: ['rubric'] },
  { group: 'institution', categories: ['lms', 'integrations'] },
  { group: 'checks', categories: ['validation'] },
  { group: 'other', categories: [] },
] as const satisfies readonly { readonly group: string; readonly categories: readonly string[] }[];

export type ToolGroup = (typeof TOOL_GROUPS)[number]['group'];

const groupOf = ({ category }: Pick<ToolInfo, 'category'>): ToolGroup =>
  TOOL_GROUPS.find(({ categories }) => (categories as readonly string[]).includes(category))?.group ?? 'other';

/** Tools under their headings; headings without a tool are left out. A category that has no heading goes to `other`. */
export function grouped<Tool extends Pick<ToolInfo, 'category'>>(
  tools: readonly Tool[],
): readonly { readonly group: ToolGroup; readonly tools: readonly Tool[] }[] {
  return TOOL_GROUPS.map(({ group }) => ({ group, tools: tools.filter((tool) => groupOf(tool) === group) })).filter(
    (entry) => entry.tools.length > 0,
  );
}
