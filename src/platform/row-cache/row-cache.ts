import { FreshCache } from '../cache';
import type { TableChanges } from './table-changes';

/** Oldest value, should the signal of another replica get lost. */
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

/** Values that were made from rows of one organization each, kept until one of their tables is written. */
export class RowCache<V> {
  private readonly kept: FreshCache<string, Kept<V>>;

  constructor(changes: Pick<TableChanges, 'on'>, { tables, max }: RowCacheOptions) {
    const load = (): Promise<never> => Promise.reject(new Error('A value is loaded by the one who asks'));
    this.kept = new FreshCache({ maxAge: MAX_AGE_MS, max, load });
    changes.on(tables, (organizationId) => {
      if (organizationId === null) this.kept.clear();
      else this.kept.deleteWhere((each) => each.organizationId === organizationId);
    });
  }

  /** Rejects as `load` does; a failure is not kept. `key` tells apart all that `load` may give for the organization. */
  async get(organizationId: string, key: string, load: () => Promise<V>): Promise<V> {
    const { value } = await this.kept.get(`${organizationId}/${key}`, async () => ({
      organizationId,
      value: await load(),
    }));
    return value;
  }
}
