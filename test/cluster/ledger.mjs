// Everything that the service has accepted while it was tried, to be compared with what is there in the end.
import { EventEmitter, on } from 'node:events';

export const KINDS = ['run', 'creation', 'edit', 'file', 'document', 'stream', 'completion'];

export class Ledger {
  /** Background runs: `{name, words, id, frames}`; `frames` are there once their reader has come to the end. */
  runs = [];
  /** Created things: `{table, name, id}`. */
  creations = [];
  /** Assistants under edit: `{id, saved}`, `saved` being `{version, name}` of each acknowledged edit. */
  edited = [];
  /** Uploads: `{path, name, text}`. */
  uploads = [];
  /** What does not hold, in words. */
  problems = new Set();
  /** Requests that had to be sent again, by status or code; `cut` without an answer. */
  repeated = new Map();
  accepted = Object.fromEntries(KINDS.map((kind) => [kind, 0]));
  #events = new EventEmitter();

  count(kind) {
    this.accepted[kind] += 1;
    this.#events.emit('accepted');
  }

  repeat(why) {
    this.repeated.set(why, (this.repeated.get(why) ?? 0) + 1);
  }

  /** Resolves when `more` things of each kind have been accepted from now on. */
  async advanced(more, signal) {
    const before = { ...this.accepted };
    const isThere = () => KINDS.every((kind) => this.accepted[kind] >= before[kind] + more);
    const news = on(this.#events, 'accepted', { signal });
    while (!isThere()) await news.next();
    await news.return();
  }
}
