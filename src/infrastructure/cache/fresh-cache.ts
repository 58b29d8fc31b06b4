interface FreshCacheOptions<K, V> {
  /** Milliseconds after which an entry is never served again. */
  readonly maxAge: number;
  /** Most entries; the oldest write is evicted first. */
  readonly max: number;
  readonly load: (key: K) => Promise<V>;
  readonly now?: () => number;
}

interface Entry<V> {
  readonly value: V;
  readonly loadedAt: number;
}

/**
 * Values at most `maxAge` old. Concurrent loads of a key coalesce. An entry past half of that age is served while it
 * reloads in the background, so a key in steady use never waits. `lru-cache` with `fetchMethod` has no half-age refresh
 * and always answers with a promise.
 */
export class FreshCache<K, V> {
  private readonly entries = new Map<K, Entry<V>>();
  private readonly loading = new Map<K, Promise<V>>();

  constructor(private readonly options: FreshCacheOptions<K, V>) {}

  /** Rejects as `load` does; a failure is not kept. `load` is for a key that does not hold what its loading needs. */
  get(key: K, load = this.options.load): V | Promise<V> {
    const entry = this.entries.get(key);
    const age = entry === undefined ? Infinity : this.now() - entry.loadedAt;
    if (entry === undefined || age >= this.options.maxAge) return this.load(key, load);
    if (age >= this.options.maxAge / 2) this.load(key, load).catch(() => undefined);
    return entry.value;
  }

  /** Drops the entry and its pending load, so the next `get` sees every write before this call. */
  delete(key: K): void {
    this.entries.delete(key);
    this.loading.delete(key);
  }

  clear(): void {
    this.entries.clear();
    this.loading.clear();
  }

  /** Drops every entry that `drop` accepts, and all pending loads, since `drop` cannot judge them. */
  deleteWhere(drop: (value: V) => boolean): void {
    for (const [key, { value }] of this.entries) if (drop(value)) this.entries.delete(key);
    this.loading.clear();
  }

  private load(key: K, from: (key: K) => Promise<V>): Promise<V> {
    const running = this.loading.get(key);
    if (running !== undefined) return running;
    const startedAt = this.now();
    const load = from(key).then(
      (value) => {
        // A load that was dropped meanwhile may hold a value from before the write.
        if (this.loading.get(key) === load) this.keep(key, { value, loadedAt: startedAt });
        return value;
      },
      (error: unknown) => {
        if (this.loading.get(key) === load) this.loading.delete(key);
        throw error;
      },
    );
    this.loading.set(key, load);
    return load;
  }

  private keep(key: K, entry: Entry<V>): void {
    this.loading.delete(key);
    this.entries.delete(key);
    this.entries.set(key, entry);
    this.dropExpired();
    if (this.entries.size <= this.options.max) return;
    const [oldest] = this.entries.keys();
    if (oldest !== undefined) this.entries.delete(oldest);
  }

  /** Entries are in the order of their loads: those that are never served again come first. */
  private dropExpired(): void {
    const oldest = this.now() - this.options.maxAge;
    for (const [key, { loadedAt }] of this.entries) {
      if (loadedAt > oldest) return;
      this.entries.delete(key);
    }
  }

  private now(): number {
    return (this.options.now ?? (() => performance.now()))();
  }
}
