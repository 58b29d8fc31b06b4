import { isJsonObject } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { DATABASE, type OpenDatabase, type Write } from '../database';
import { Signals } from '../signals';
import { FreshCache } from './fresh-cache';

const CHANGED = 'rows.changed';

/** `organizationId` null: of any organization. */
type Handler = (organizationId: string | null) => void;

/**
 * Tells handlers which tables were written: by this process before the writing call returns, by another replica within
 * milliseconds. Signals of other replicas may get lost, and commands send none, so cached values must also expire.
 */
@Injectable()
export class TableChanges {
  private readonly handlers = new Map<string, Set<Handler>>();

  constructor(
    @Inject(DATABASE) { writes }: Pick<OpenDatabase, 'writes'>,
    private readonly signals: Signals,
  ) {
    writes.on((write) => this.publish(write));
    signals.on(CHANGED, (payload) => this.receive(payload));
  }

  /** The handler must not throw. */
  on(tables: readonly string[], handler: Handler): void {
    for (const table of tables) this.handlers.set(table, (this.handlers.get(table) ?? new Set()).add(handler));
  }

  private publish({ tables, organizationId }: Write): void {
    const handled = [...tables].filter((table) => this.handlers.has(table));
    if (handled.length > 0) this.signals.publish(CHANGED, JSON.stringify({ tables: handled, organizationId }));
  }

  /** Signals also reach the process that sent them. */
  private receive(payload: string): void {
    const write: unknown = JSON.parse(payload);
    if (!isJsonObject(write) || !Array.isArray(write['tables'])) return;
    const organizationId = typeof write['organizationId'] === 'string' ? write['organizationId'] : null;
    const handlers = new Set(write['tables'].flatMap((table) => [...(this.handlers.get(String(table)) ?? [])]));
    for (const handler of handlers) handler(organizationId);
  }
}

/** Bounds the age of a value when the signal of another replica gets lost. */
const MAX_AGE_MS = 5_000;

export interface RowCacheOptions {
  /** A write to one of them drops the values of its organization. */
  readonly tables: readonly string[];
  /** Most values. */
  readonly max: number;
}

interface Kept<V> {
  readonly organizationId: string;
  readonly value: V;
}

/** Caches values, each made from rows of one organization. A write to one of the tables drops them. */
export class RowCache<V> {
  private readonly kept: FreshCache<string, Kept<V>>;

  constructor(changes: Pick<TableChanges, 'on'>, { tables, max }: RowCacheOptions) {
    const load = (): Promise<never> => Promise.reject(new Error('RowCache.get passes its own load'));
    this.kept = new FreshCache({ maxAge: MAX_AGE_MS, max, load });
    changes.on(tables, (organizationId) => {
      if (organizationId === null) this.kept.clear();
      else this.kept.deleteWhere((each) => each.organizationId === organizationId);
    });
  }

  /** Rejects as `load` does; a failure is not cached. `key` must name everything that the result of `load` depends on. */
  async get(organizationId: string, key: string, load: () => Promise<V>): Promise<V> {
    const { value } = await this.kept.get(`${organizationId}/${key}`, async () => ({
      organizationId,
      value: await load(),
    }));
    return value;
  }
}
