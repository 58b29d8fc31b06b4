import { numberedPlaceholder } from '../../../kernel/templates';
import type { MetadataVersion } from './document.types';
import type { ToolVocabulary } from './metadata.types';
import { textMember } from './parse-metadata';
import type { ToolEntry } from './tool-entries';

const NUMBER = /^(\d{1,9})_/;

/** Slot type of a tool, without number; an unknown plugin stands for itself. Null when it fills none. */
export function slotType({ plugin }: ToolEntry, tools: ToolVocabulary): string | null {
  const type = tools.placeholderOf(plugin);
  return type === undefined ? tools.canonicalName(plugin) : type;
}

/** The slot of a version 2 tool in the stored template. */
export const unnumberedName = (entry: ToolEntry, tools: ToolVocabulary): string | null =>
  slotType(entry, tools) === null ? null : (textMember(entry.entry, 'placeholder') ?? slotType(entry, tools));

/**
 * Placeholder of each tool. Given ones stay; in version 2 only numbered ones count as given. Others get
 * `{order}_{type}` with the position from 1, or the highest number + 1 when that is taken.
 */
export function assignPlaceholders(
  entries: readonly ToolEntry[],
  version: MetadataVersion,
  tools: ToolVocabulary,
): readonly (string | null)[] {
  const given = entries.map((entry) => givenPlaceholder(entry, version, tools));
  const taken = new Set(given);
  let highest = Math.max(entries.length, ...given.map((name) => Number(NUMBER.exec(name ?? '')?.[1] ?? 0)));
  return entries.map((entry, position) => {
    const type = slotType(entry, tools);
    const own = given[position] ?? null;
    if (type === null || own !== null) return own;
    const generated = numberedPlaceholder(position + 1, type);
    const free = taken.has(generated) ? numberedPlaceholder(++highest, type) : generated;
    taken.add(free);
    return free;
  });
}

function givenPlaceholder(entry: ToolEntry, version: MetadataVersion, tools: ToolVocabulary): string | null {
  if (slotType(entry, tools) === null) return null;
  const given = textMember(entry.entry, 'placeholder');
  return given !== null && version === 2 && !NUMBER.test(given) ? null : given;
}
