import type { FrontendMessage } from './messages';

/** Back-pressure: input beyond this stays in the socket buffer. */
const LIMIT = 1024 * 1024;

/** Message types after which the engine is asked: Query, FunctionCall and Sync end a turn, Flush only wants answers. */
const ASKING = new Set(['Q', 'F', 'S', 'H']);

export class Inbox {
  private messages: FrontendMessage[] = [];
  private size = 0;

  get full(): boolean {
    return this.size > LIMIT;
  }

  push(message: FrontendMessage): void {
    this.messages.push(message);
    this.size += message.frame.length;
  }

  clear(): void {
    this.messages = [];
    this.size = 0;
  }

  /** The messages up to the next one that asks for an answer, or all of a batch that exceeds the limit. */
  nextBatch(): readonly FrontendMessage[] | null {
    const asking = this.messages.findIndex(({ type }) => ASKING.has(type));
    if (asking < 0 && !this.full) return null;
    const batch = this.messages.splice(0, asking < 0 ? this.messages.length : asking + 1);
    this.size -= batch.reduce((sum, { frame }) => sum + frame.length, 0);
    return batch;
  }
}
