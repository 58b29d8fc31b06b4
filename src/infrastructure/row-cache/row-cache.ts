import { FreshCache } from '../cache';
import type { TableChanges } from './table-changes';

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
