import { DataSource } from 'typeorm';
import { SafeClient } from './safe-client';

/**
 * A data source with one connection of the login that owns the tables, without time limits. Not connected yet. Without
 * entities: building their metadata takes longer than most work of an owner.
 */
export function ownerDataSource({ options }: DataSource, ownerUrl: string | null | undefined): DataSource {
  if (options.type !== 'postgres' || !options.url)
    throw new Error('The owner of the tables needs a data source with a URL');
  return new DataSource({
    ...options,
    url: ownerUrl ?? options.url,
    entities: [],
    poolSize: 1,
    extra: { Client: SafeClient },
  });
}

/** Runs `work` on a connection of its own, as the owner of the tables: policies do not hold for it. */
export async function asOwner<T>(
  dataSource: DataSource,
  ownerUrl: string | null | undefined,
  work: (owner: DataSource) => Promise<T>,
): Promise<T> {
  const owner = await ownerDataSource(dataSource, ownerUrl).initialize();
  try {
    return await work(owner);
  } finally {
    await owner.destroy();
  }
}
