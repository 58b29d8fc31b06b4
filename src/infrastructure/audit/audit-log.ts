import { type Caller, type Page, type PageRequest, type RequestOrigin, uuidv7 } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import type { Transaction } from '../database';
import { type DerivedKey, SecretsService, maskSecrets } from '../secrets';
import type { AuditEntryEntity } from './audit-entry.entity';
import { type AuditFilter, AuditRepository, type WrittenEntry } from './audit.repository';
import { type EntryContent, contentHash, sameMac } from './entry-hash';

/**
 * `<kid>:<HMAC>`. Proves until the sealing that a process with the operator's key wrote an entry: a row that came by SQL
 * has none. Needs no query, in contrast to the key of the chain.
 */
@Injectable()
export class EntrySignature {
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

export interface AuditRecord {
  /** Null for the service itself: first start, operator commands. Then `organizationId` is required. */
  readonly caller: Caller | null;
  /** Organization whose log gets the entry; the caller's own when absent. */
  readonly organizationId?: string;
  /** Object and verb, e.g. `assistant.update`. */
  readonly action: string;
  readonly target: { readonly type: string; readonly id: string | number };
  /** State before and after. Secrets are masked by name and by shape before anything is stored. */
  readonly before?: unknown;
  readonly after?: unknown;
  /** Origin of a request without a caller; the caller's own when absent. */
  readonly origin?: RequestOrigin;
}

/** An entry as clients read it. */
export interface AuditItem {
  readonly id: string;
  readonly at: string;
  readonly actor: { readonly kind: string; readonly user_id: string | null; readonly credential_id: string | null };
  readonly action: string;
  readonly target: { readonly type: string; readonly id: string };
  readonly before: unknown;
  readonly after: unknown;
  readonly request_id: string | null;
  readonly ip: string | null;
  /** Position in the hash chain; null for seconds until it is sealed. */
  readonly sequence: number | null;
}

/** Entries of one batch of an export; a migration writes whole assistants into them. */
const BATCH = 200;

const itemOf = (entry: AuditEntryEntity): AuditItem => ({
  id: entry.id,
  at: entry.at.toISOString(),
  actor: { kind: entry.actorKind, user_id: entry.actorUserId, credential_id: entry.actorCredentialId },
  action: entry.action,
  target: { type: entry.targetType, id: entry.targetId },
  before: entry.before ?? null,
  after: entry.after ?? null,
  request_id: entry.requestId,
  ip: entry.ip,
  sequence: entry.sequence,
});

const masked = (value: unknown): unknown => (value === undefined || value === null ? null : maskSecrets(value));

const actorOf = (caller: Caller | null): Pick<EntryContent, 'actorKind' | 'actorUserId' | 'actorCredentialId'> => ({
  actorKind: caller?.kind ?? 'system',
  actorUserId: caller?.userId ?? null,
  actorCredentialId: caller?.credentialId ?? null,
});

function contentOf(record: AuditRecord): EntryContent {
  const { caller } = record;
  const organizationId = record.organizationId ?? caller?.organizationId;
  if (organizationId === undefined) throw new Error('An audit entry needs an organization');
  const { requestId, ip } = record.origin ?? caller?.origin ?? { requestId: null, ip: null };
  return {
    id: uuidv7(),
    organizationId,
    ...actorOf(caller),
    action: record.action,
    targetType: record.target.type,
    targetId: String(record.target.id),
    before: masked(record.before),
    after: masked(record.after),
    requestId,
    ip,
    at: new Date(),
  };
}

/** Every mutating use case records its entry in its own transaction. */
@Injectable()
export class AuditLog {
  constructor(
    private readonly repository: AuditRepository,
    private readonly writtenMac: EntrySignature,
  ) {}

  async record(record: AuditRecord, tx?: Transaction): Promise<void> {
    await this.recordAll([record], tx);
  }

  /** Many at once, for a change of many objects. Returns the entries' ids, in the order of `records`. */
  async recordAll(records: readonly AuditRecord[], tx?: Transaction): Promise<readonly string[]> {
    const entries = records.map((record) => this.entryOf(record));
    await this.repository.append(entries, tx);
    return entries.map(({ id }) => id);
  }

  /** Newest first. */
  async list(organizationId: string, page: PageRequest, filter: AuditFilter = {}): Promise<Page<AuditItem>> {
    const found = await this.repository.list(organizationId, page, filter);
    return { ...found, items: found.items.map(itemOf) };
  }

  /** Everything that fits, oldest first, in batches. */
  async *batches(organizationId: string, filter: AuditFilter): AsyncGenerator<readonly AuditItem[]> {
    let last: string | null = null;
    for (;;) {
      const found: AuditEntryEntity[] = await this.repository.after(organizationId, filter, last, BATCH);
      if (found.length > 0) yield found.map(itemOf);
      last = found.at(-1)?.id ?? null;
      if (found.length < BATCH) return;
    }
  }

  private entryOf(record: AuditRecord): WrittenEntry {
    const content = contentOf(record);
    return { ...content, writtenMac: this.writtenMac.of(content) };
  }
}
