import { i18n } from '$lib/i18n/i18n.svelte';
import type { VersionDetail } from './requests';

/** The parts of a definition, in the order people read them. */
export const PARTS = [
  'name',
  'description',
  'system_prompt',
  'prompt_template',
  'metadata',
  'RAG_collections',
  'RAG_Top_k',
] as const;
export type Part = (typeof PARTS)[number];

export const partName = (path: string): string => i18n.maybe(`assistants.part.${path}`) ?? path;

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

/** A part's value as text that can be compared line by line; documents arrive as objects or as JSON in a string. */
export function readable(path: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (path === 'metadata' && typeof value === 'string' && value !== '') {
    try {
      return pretty(JSON.parse(value));
    } catch {
      return value;
    }
  }
  if (Array.isArray(value)) return value.join('\n');
  return typeof value === 'object' ? pretty(value) : String(value);
}

export interface PartChange {
  readonly part: Part;
  readonly before: string;
  readonly after: string;
}

/** The parts in which two versions differ. */
export const changesBetween = (before: VersionDetail, after: VersionDetail): readonly PartChange[] =>
  PARTS.map((part) => ({ part, before: readable(part, before[part]), after: readable(part, after[part]) })).filter(
    (change) => change.before !== change.after,
  );
