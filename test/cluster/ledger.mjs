// Everything that the service has accepted during the run, to be compared with what exists at the end.
import { EventEmitter, on } from 'node:events';

export const KINDS = ['run', 'creation', 'edit', 'file', 'document', 'stream', 'completion'];

export class Ledger {
  /** Background runs: `{name, words, id, frames}`; `frames` are set once their reader has reached the end. */
  runs = [];
  /** Created things: `{table, name, id}`. */
  creations = [];
  /** Assistants under edit: `{id, saved}`, `saved` being `{version, name}` of each acknowledged edit. */
  edited = [];
  /** Uploads: `{path, name, text}`. */
  uploads = [];
  /** Broken guarantees, in words. */
  problems = new Set();
  /** Repeated requests by status or code; `cut` without an answer. */
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

  /** Resolves when `more` requests of each kind have succeeded from now on. */
  async advanced(more, signal) {
    const before = { ...this.accepted };
    const isThere = () => KINDS.every((kind) => this.accepted[kind] >= before[kind] + more);
    const news = on(this.#events, 'accepted', { signal });
    while (!isThere()) await news.next();
    await news.return();
  }
}
