import { Injectable } from '@nestjs/common';
import { OrganizationChanges } from '../../organizations';
import { type AuditRecord, AuditLog } from '../../platform/audit';
import type { Ground } from './landings';

const BATCH = 200;

/** What an import leaves in the log of an organization; the actor is the service. */
export type ImportEntry = Pick<AuditRecord, 'action' | 'target' | 'after'>;

@Injectable()
export class ImportRecords {
  constructor(
    private readonly audit: AuditLog,
    private readonly changes: OrganizationChanges,
  ) {}

  async write(entries: readonly ImportEntry[], { organizationId, tx }: Ground): Promise<void> {
    for (let start = 0; start < entries.length; start += BATCH) {
      const batch = entries.slice(start, start + BATCH).map((entry) => ({ ...entry, caller: null, organizationId }));
      await this.audit.recordAll(batch, tx);
    }
  }

  /** After the commit. */
  announce(organizationId: string): void {
    this.changes.announce(organizationId);
  }
}
