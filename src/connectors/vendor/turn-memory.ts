import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ModelTarget } from '../contract';

const KEPT_MS = 60 * 60 * 1000;
const KEPT_CHARS = 16 * 1024 * 1024;
const MOST_CHARS = 1024 * 1024;

export interface TurnOwner {
  readonly target: ModelTarget;
  readonly scope: string | undefined;
}

/**
 * Remembers values that OpenAI's messages cannot hold but the vendor needs back with call results: thinking blocks,
 * signatures. The key is a call's id, in the scope of one API key and one person. A restart loses them, so connectors must
 * work without them.
 */
export class TurnMemory<Kept extends object> {
  private readonly turns = new LRUCache<string, Kept>({
    ttl: KEPT_MS,
    maxSize: KEPT_CHARS,
    maxEntrySize: MOST_CHARS,
    sizeCalculation: (kept) => JSON.stringify(kept).length + 1,
  });

  keep(owner: TurnOwner, callId: string, kept: Kept): void {
    this.turns.set(keyOf(owner, callId), kept);
  }

  recall(owner: TurnOwner, callId: string): Kept | undefined {
    return this.turns.get(keyOf(owner, callId));
  }
}

const keyOf = ({ target: { baseUrl, apiKey }, scope = '' }: TurnOwner, callId: string): string =>
  createHash('sha256')
    .update(JSON.stringify([baseUrl, apiKey, scope, callId]))
    .digest('base64');
