import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../platform/database';
import { ExternalCollectionRepository, type ExternalCollectionValues } from './external-collection.repository';

/** A collection of an external server that comes with an organization from elsewhere. */
export type ArrivingCollection = ExternalCollectionValues;

/** The list of an external server's collections, within a transaction of the caller, who writes the audit. */
@Injectable()
export class CollectionArrivals {
  constructor(private readonly collections: ExternalCollectionRepository) {}

  /** Those that are still here, by id. */
  async standing(
    organizationId: string,
    ids: readonly string[],
    tx: Transaction,
  ): Promise<ReadonlyMap<string, ArrivingCollection>> {
    const rows = await this.collections.find(organizationId, ids, tx);
    return new Map(
      rows.map(({ collectionId, ownerId, name, shared }) => [collectionId, { collectionId, ownerId, name, shared }]),
    );
  }

  async taken(organizationId: string, tx: Transaction): Promise<readonly { id: string; key: string }[]> {
    return (await this.collections.ids(organizationId, tx)).map((id) => ({ id, key: id }));
  }

  /** Returns their ids, in order. */
  async arrive(organizationId: string, collections: readonly ArrivingCollection[], tx: Transaction): Promise<string[]> {
    await this.collections.insert(organizationId, collections, tx);
    return collections.map(({ collectionId }) => collectionId);
  }

  change(organizationId: string, collection: ArrivingCollection, tx: Transaction): Promise<void> {
    return this.collections.update(organizationId, collection, tx);
  }
}
