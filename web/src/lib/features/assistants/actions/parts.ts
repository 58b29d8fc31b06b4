import type { Comparable } from '$lib/features/changes/changes';
import type { Metadata } from '$lib/app/catalogues/assistant';

interface PartDiff {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Documents arrive as objects or as JSON in a string; unreadable ones count as empty. */
function metadataOf(value: unknown): Metadata {
  if (typeof value === 'object' && value !== null) return value as Metadata;
  try {
    const parsed: unknown = JSON.parse(String(value));
    return typeof parsed === 'object' && parsed !== null ? (parsed as Metadata) : {};
  } catch {
    return {};
  }
}

function valueOf(path: string, value: unknown): unknown {
  if (path === 'metadata') return metadataOf(value);
  if (path !== 'RAG_collections' || Array.isArray(value)) return value;
  return String(value ?? '')
    .split(',')
    .filter((each) => each !== '');
}

/** The old or the new side of the listed changes, as a definition. Unchanged parts are absent. */
export const sideOf = (diff: readonly PartDiff[], side: 'from' | 'to'): Comparable =>
  Object.fromEntries(diff.map((part) => [part.path, valueOf(part.path, part[side])]));
