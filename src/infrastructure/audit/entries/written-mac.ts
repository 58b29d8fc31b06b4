import { Injectable } from '@nestjs/common';
import { type DerivedKey, SecretsService } from '../../secrets';
import type { AuditEntryEntity } from './audit-entry.entity';
import { contentHash, type EntryContent, sameMac } from './entry-hash';

/**
 * `<kid>:<HMAC>`. Proves until the sealing that a process with the operator's key wrote an entry: a row that came by SQL
 * has none. Needs no query, in contrast to the key of the chain.
 */
@Injectable()
export class WrittenMac {
  private readonly keys: readonly DerivedKey[];

  constructor(secrets: SecretsService) {
    this.keys = secrets.namedKeys('audit-entry');
  }

  /** While operators add a key, another process may know it already: it seals the entries under that key. */
  get kids(): readonly string[] {
    return this.keys.map(({ kid }) => kid);
  }

  /** Null without keys. */
  of(entry: EntryContent): string | null {
    const [newest] = this.keys;
    return newest === undefined ? null : `${newest.kid}:${contentHash(newest.key, entry)}`;
  }

  fits(entry: AuditEntryEntity): boolean {
    return this.keys.some(({ kid, key }) => sameMac(`${kid}:${contentHash(key, entry)}`, entry.writtenMac));
  }
}
