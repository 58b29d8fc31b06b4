import { Injectable } from '@nestjs/common';
import { type Caller, type Page, type PageRequest, uuidv7 } from '../../kernel';
import type { Transaction } from '../database';
import { maskSecrets } from '../secrets';
import type { AuditEntryEntity } from './audit-entry.entity';
import { AuditRepository } from './audit.repository';

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
}

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
});

const masked = (value: unknown): unknown => (value === undefined || value === null ? null : maskSecrets(value));

function entryOf(record: AuditRecord): Omit<AuditEntryEntity, 'at'> {
  const { caller } = record;
  const organizationId = record.organizationId ?? caller?.organizationId;
  if (organizationId === undefined) throw new Error('An audit entry needs an organization');
  const { requestId, ip } = caller?.origin ?? { requestId: null, ip: null };
  return {
    id: uuidv7(),
    organizationId,
    actorKind: caller?.kind ?? 'system',
    actorUserId: caller?.userId ?? null,
    actorCredentialId: caller?.credentialId ?? null,
    action: record.action,
    targetType: record.target.type,
    targetId: String(record.target.id),
    before: masked(record.before),
    after: masked(record.after),
    requestId,
    ip,
  };
}

/** Every mutating use case records its entry in its own transaction. */
@Injectable()
export class AuditLog {
  constructor(private readonly repository: AuditRepository) {}

  async record(record: AuditRecord, tx?: Transaction): Promise<void> {
    await this.repository.append([entryOf(record)], tx);
  }

  /** Many at once, for a change of many objects. Returns the entries' ids, in the order of `records`. */
  async recordAll(records: readonly AuditRecord[], tx?: Transaction): Promise<readonly string[]> {
    const entries = records.map(entryOf);
    await this.repository.append(entries, tx);
    return entries.map(({ id }) => id);
  }

  async list(organizationId: string, page: PageRequest): Promise<Page<AuditItem>> {
    const found = await this.repository.list(organizationId, page);
    return { ...found, items: found.items.map(itemOf) };
  }
}
