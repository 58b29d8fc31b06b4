import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ModelTarget } from '../contract';

const KEPT_MS = 60 * 60 * 1000;
const KEPT_CHARS = 16 * 1024 * 1024;
const MOST_CHARS = 1024 * 1024;

/**
 * What a vendor wants back with the results of the calls it asked for and OpenAI's messages have no place for: thinking
 * blocks, signatures. Found again by the id of a call, for whoever asks with the same key. It is lost with the process, so
 * a connector must be able to go on without it.
 */
export class TurnMemory<Kept extends object> {
  private readonly turns = new LRUCache<string, Kept>({
    ttl: KEPT_MS,
    maxSize: KEPT_CHARS,
    maxEntrySize: MOST_CHARS,
    sizeCalculation: (kept) => JSON.stringify(kept).length + 1,
  });

  keep(target: ModelTarget, callId: string, kept: Kept): void {
    this.turns.set(keyOf(target, callId), kept);
  }

  recall(target: ModelTarget, callId: string): Kept | undefined {
    return this.turns.get(keyOf(target, callId));
  }
}

const keyOf = ({ baseUrl, apiKey }: ModelTarget, callId: string): string =>
  createHash('sha256')
    .update(JSON.stringify([baseUrl, apiKey, callId]))
    .digest('base64');
