// One timer for thousands of paced streams: a ring of one-millisecond slots.
const SLOTS = 4096;

export class Ticker {
  constructor() {
    this.slots = Array.from({ length: SLOTS }, () => []);
    this.cursor = 0;
    this.pending = 0;
    this.timer = null;
  }

  /** Runs `job` at `due` (performance.now time) and again at whatever time it returns. */
  at(due, job) {
    if (this.pending === 0) this.cursor = Math.floor(performance.now());
    this.pending++;
    this.place({ due, job });
    this.timer ??= setTimeout(() => this.run(), 1);
  }

  place(entry) {
    const slot = Math.max(this.cursor + 1, Math.ceil(entry.due));
    this.slots[slot % SLOTS].push(entry);
  }

  run() {
    const now = Math.floor(performance.now());
    while (this.cursor < now) {
      this.cursor++;
      this.turn(this.cursor % SLOTS);
    }
    this.timer = this.pending > 0 ? setTimeout(() => this.run(), 1) : null;
  }

  turn(index) {
    const entries = this.slots[index];
    if (entries.length === 0) return;
    this.slots[index] = [];
    for (const entry of entries) {
      // An entry of a later lap of the ring waits in the same slot.
      if (entry.due > this.cursor + 1) this.slots[index].push(entry);
      else this.fire(entry);
    }
  }

  fire(entry) {
    const next = entry.job();
    if (next === undefined) this.pending--;
    else this.place({ due: next, job: entry.job });
  }
}
