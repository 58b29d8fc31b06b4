export interface Waiting<T> {
  readonly key: string;
  readonly item: T;
}

interface Flow<T> {
  readonly key: string;
  weight: number;
  /** Virtual time at which its next item starts. */
  start: number;
  /** Waiting requests in order of arrival. */
  readonly waiting: Set<Waiting<T>>;
}

/**
 * Weighted fair queue of items with keys. The next item belongs to the key that holds the fewest places for its weight.
 * Start-time fair queueing breaks ties (Goyal, Vin and Cheng, 1996), with a cost of one per item. Items of one key leave
 * in order of arrival.
 */
export class FairQueue<T> {
  private readonly flows = new Map<string, Flow<T>>();
  private virtualTime = 0;
  private items = 0;

  get size(): number {
    return this.items;
  }

  sizeOf(key: string): number {
    return this.flows.get(key)?.waiting.size ?? 0;
  }

  push(key: string, weight: number, item: T): Waiting<T> {
    const waiting = { key, item };
    const flow = this.flowOf(key);
    flow.weight = weight;
    // A key gets no credit for the time without items.
    if (flow.waiting.size === 0) flow.start = Math.max(flow.start, this.virtualTime);
    flow.waiting.add(waiting);
    this.items += 1;
    return waiting;
  }

  /** Removes the next item; `heldBy` tells how many places a key holds. */
  shift(heldBy: (key: string) => number): T | undefined {
    let next: Flow<T> | undefined;
    let leastHeld = Infinity;
    for (const flow of this.flows.values()) {
      if (flow.waiting.size === 0) {
        // Its earlier items no longer delay it, so it can be forgotten.
        if (flow.start <= this.virtualTime) this.flows.delete(flow.key);
        continue;
      }
      const held = heldBy(flow.key) / flow.weight;
      if (held > leastHeld || (held === leastHeld && next !== undefined && next.start <= flow.start)) continue;
      next = flow;
      leastHeld = held;
    }
    const [first] = next?.waiting ?? [];
    if (next === undefined || first === undefined) return undefined;
    this.virtualTime = Math.max(this.virtualTime, next.start);
    next.start += 1 / next.weight;
    this.remove(first);
    return first.item;
  }

  /** False when the item is no longer in the queue. */
  remove(waiting: Waiting<T>): boolean {
    if (this.flows.get(waiting.key)?.waiting.delete(waiting) !== true) return false;
    this.items -= 1;
    if (this.items === 0) this.reset();
    return true;
  }

  /** Share of the next places that an item of this key and weight competes for. */
  shareOf(key: string, weight: number): number {
    let others = 0;
    for (const flow of this.flows.values()) if (flow.key !== key && flow.waiting.size > 0) others += flow.weight;
    return weight / (weight + others);
  }

  /** The newest item of the key with the most items for its weight, if one more of `key` would be fewer than those. */
  pushedOutBy(key: string, weight: number): Waiting<T> | null {
    let longest: Flow<T> | null = null;
    let most = (this.sizeOf(key) + 1) / weight;
    for (const flow of this.flows.values()) {
      const length = flow.waiting.size / flow.weight;
      if (flow.key === key || length <= most) continue;
      longest = flow;
      most = length;
    }
    return [...(longest?.waiting ?? [])].at(-1) ?? null;
  }

  private flowOf(key: string): Flow<T> {
    let flow = this.flows.get(key);
    if (flow === undefined) this.flows.set(key, (flow = { key, weight: 1, start: 0, waiting: new Set() }));
    return flow;
  }

  /** An empty queue ends the busy period: no key carries anything over. */
  private reset(): void {
    this.flows.clear();
    this.virtualTime = 0;
  }
}
