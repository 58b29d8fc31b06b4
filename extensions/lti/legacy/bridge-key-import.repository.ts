import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { batches, type ImportRow, type ImportScope, type ImportTarget } from '../../../src/infrastructure/database';
import { SecretsService } from '../../../src/infrastructure/secrets';
import { BridgeKeyEntity } from './bridge-key.entity';
import { BridgeRepository } from './bridge.repository';
import { BridgeSecrets } from './bridge-secrets.service';
import type { NamedKey } from './bridge.types';

export interface ImportedKey extends NamedKey {
  /** Secret in plain text; null where it is not known, and for kind `assistant`. */
  readonly secret: string | null;
  /** Assistant of kind `assistant`; null for other kinds. */
  readonly assistantId: number | null;
}

const BATCH = 500;

/** Imports consumer keys of another LTI 1.1 tool. The bridge stays switched off. */
@Injectable()
export class BridgeKeyImport implements ImportTarget<ImportedKey> {
  constructor(
    private readonly bridges: BridgeRepository,
    private readonly sealed: BridgeSecrets,
    private readonly secrets: SecretsService,
  ) {}

  /** A plain hash would let short secrets be guessed. */
  readonly compared = ({ secret, ...key }: ImportedKey): unknown => {
    const [hashing] = this.secrets.derivedKeys('import/lti-keys');
    if (secret === null || hashing === undefined) return { ...key, secret: null };
    return { ...key, secret: createHmac('sha256', hashing).update(secret).digest('hex') };
  };

  keyOf({ kind, consumerKey }: ImportedKey): string {
    return `${kind} ${consumerKey}`;
  }

  async keys({ organizationId, tx }: ImportScope): Promise<ReadonlyMap<string, string>> {
    const rows = await this.bridges.keysWithin(organizationId, tx).all();
    return new Map(rows.map(({ id, kind, consumerKey }) => [`${kind} ${consumerKey}`, id]));
  }

  async find({ organizationId, tx }: ImportScope, ids: readonly string[]): Promise<ReadonlyMap<string, ImportedKey>> {
    const found = new Map<string, ImportedKey>();
    for (const batch of batches(ids, BATCH)) {
      const rows = await tx.getRepository(BridgeKeyEntity).findBy({ organizationId, id: In([...batch]) });
      for (const row of rows) {
        const { id, kind, consumerKey, assistantId } = row;
        found.set(id, { kind, consumerKey, assistantId, secret: await this.sealed.own(row, tx) });
      }
    }
    return found;
  }

  async insert({ organizationId, tx }: ImportScope, rows: readonly ImportRow<ImportedKey>[]): Promise<void> {
    const { id: bridgeId } = await this.bridges.within(organizationId, tx).ensure();
    for (const batch of batches(rows, BATCH)) {
      const values = await Promise.all(
        batch.map(async ({ id, value: { secret, ...key } }) => {
          const sealed = secret === null ? null : await this.sealed.seal(organizationId, id, secret, tx);
          return { id, organizationId, bridgeId, ...key, secret: sealed };
        }),
      );
      await tx.getRepository(BridgeKeyEntity).insert(values);
    }
  }

  async update({ organizationId, tx }: ImportScope, { id, value }: ImportRow<ImportedKey>): Promise<boolean> {
    const { secret, ...key } = value;
    const sealed = secret === null ? null : await this.sealed.seal(organizationId, id, secret, tx);
    return this.bridges.keysWithin(organizationId, tx).update(id, { ...key, secret: sealed });
  }
}
