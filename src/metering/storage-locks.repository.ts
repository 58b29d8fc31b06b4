import { Injectable } from '@nestjs/common';
import type { Transaction } from '../infrastructure/database';

/** First key of the advisory locks of storage limits (`stor` as int4). */
const STORAGE_LOCK = 0x73746f72;

@Injectable()
export class StorageLocks {
  /** Serialises the uploads of an organization until the transaction ends: the next one sees the rows of this one. */
  async lock(organizationId: string, tx: Transaction): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [STORAGE_LOCK, organizationId]);
  }
}
