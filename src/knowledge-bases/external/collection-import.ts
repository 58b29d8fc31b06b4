import { Injectable } from '@nestjs/common';
import { TableImport } from '../../infrastructure/database';
import { ExternalCollectionEntity } from './external-collection.entity';

/** A collection of an external server in the list of another installation. */
export type ImportedCollection = Readonly<
  Pick<ExternalCollectionEntity, 'collectionId' | 'ownerId' | 'name' | 'shared'>
>;

@Injectable()
export class CollectionImport extends TableImport<ExternalCollectionEntity, ImportedCollection> {
  constructor() {
    super({
      entity: ExternalCollectionEntity,
      idColumn: 'collectionId',
      keyColumns: ['collectionId'],
      toRow: (value) => value,
      toValue: ({ collectionId, ownerId, name, shared }) => ({ collectionId, ownerId, name, shared }),
    });
  }
}
