import { Injectable } from '@nestjs/common';
import { stringify } from 'csv-stringify/sync';
import type { AuditFiltersDto, AuditItemDto, ExportFormat } from './audit.dto';
import { AuditView } from './audit-view.service';

const COLUMNS = [
  'sequence',
  'at',
  'actor_kind',
  'actor_name',
  'actor_email',
  'actor_user_id',
  'credential_id',
  'credential_name',
  'ip',
  'action',
  'target_type',
  'target_id',
  'before',
  'after',
  'request_id',
  'id',
];

const json = (value: unknown): string => (value === null ? '' : JSON.stringify(value));

const rowOf = ({ actor, target, ...entry }: AuditItemDto): unknown[] => [
  entry.sequence,
  entry.at,
  actor.kind,
  actor.name,
  actor.email,
  actor.user_id,
  actor.credential_id,
  actor.credential_name,
  entry.ip,
  entry.action,
  target.type,
  target.id,
  json(entry.before),
  json(entry.after),
  entry.request_id,
  entry.id,
];

/** Spreadsheets run a cell that begins like a formula: OWASP "CSV Injection". */
const CSV = { escape_formulas: true, record_delimiter: '\r\n' } as const;

/** Streams the log as a file: it may be larger than the memory. */
@Injectable()
export class AuditExport {
  constructor(private readonly view: AuditView) {}

  async *texts(organizationId: string, filters: AuditFiltersDto, format: ExportFormat): AsyncGenerator<string> {
    if (format === 'csv') yield stringify([COLUMNS], CSV);
    for await (const items of this.view.batches(organizationId, filters)) {
      yield format === 'csv'
        ? stringify(items.map(rowOf), CSV)
        : items.map((item) => `${JSON.stringify(item)}\n`).join('');
    }
  }
}
