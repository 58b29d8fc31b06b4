import { isJsonObject } from '../../../kernel';

/** Actions of the entries that announce a change of the log itself. */
export const REDACT = 'audit.redact';
export const PRUNE = 'audit.prune';
export const ACCEPT = 'audit.accept';

/** Part of `after` of `audit.redact` and `audit.accept`: the content hash of each entry from then on, by its id. */
export const hashesNote = (hashes: ReadonlyMap<string, string>) => ({ entries: Object.fromEntries(hashes) });

export function announcedHashes(after: unknown): ReadonlyMap<string, string> {
  const entries = isJsonObject(after) && isJsonObject(after['entries']) ? after['entries'] : {};
  const texts = Object.entries(entries).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return new Map(texts);
}

/** Last entry that was pruned: the chain goes on from its hash. */
export interface Anchor {
  readonly sequence: number;
  readonly hash: string;
}

export const pruneNote = ({ sequence, hash }: Anchor, before: Date, entries: number) => ({
  before: before.toISOString(),
  entries,
  through_sequence: sequence,
  hash,
});

export function prunedAnchor(after: unknown): Anchor | null {
  if (!isJsonObject(after)) return null;
  const { through_sequence: sequence, hash } = after;
  return typeof sequence === 'number' && typeof hash === 'string' ? { sequence, hash } : null;
}
