import { type Caller, type JsonObject, isJsonObject, orNull } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { BlobStore } from '../../files';
import { AuditLog } from '../../infrastructure/audit';
import { isSealed } from '../../infrastructure/secrets';
import { entriesIn } from '../../runs';
import { type ExportedFile, archivePath } from '../person-export.service';
import { NOT_EXPORTED } from './exported-tables';
import { type ExportedBlob, type ExportedTable, OrganizationExportRepository } from './organization-export.repository';

const PAGE = 200;
/** Larger than any stored file. */
const MAX_BYTES = 200 * 1024 * 1024;

const README = `This folder holds what the service stores about one organization and its people.

manifest.json   names every table with its number of rows, the tables that are left out, and files that could not be read
data/           one JSON file per table, one array of rows each; run_segments.json has the contents of runs
files/          files of the members, by e-mail address
documents/      documents of the knowledge bases

Keys, passwords, sessions and hashes of them are left out. The search index is left out: it repeats the documents.
`;

interface ManifestTable {
  readonly table: string;
  rows: number;
}

/** Everything about one organization, file by file. Nothing is held in memory but a page of rows or one file. */
@Injectable()
export class OrganizationExports {
  constructor(
    private readonly contents: OrganizationExportRepository,
    private readonly blobs: BlobStore,
    private readonly audit: AuditLog,
  ) {}

  /** Records that the data leaves the service. `caller` null is the operator. */
  async begin(caller: Caller | null, organizationId: string): Promise<void> {
    const target = { type: 'organization', id: organizationId };
    await this.audit.record({ caller, organizationId, action: 'organization.export', target });
  }

  /** Each file must be read to its end before the next one. */
  async *files(organizationId: string): AsyncGenerator<ExportedFile> {
    yield { path: 'README.txt', content: [Buffer.from(README)] };
    const tables: ManifestTable[] = [];
    for (const table of await this.contents.tables()) {
      const entry: ManifestTable = { table: table.table, rows: 0 };
      tables.push(entry);
      yield { path: `data/${table.table}.json`, content: this.rowsOf(table, organizationId, entry) };
    }
    const missing: string[] = [];
    const taken = new Set<string>();
    for (const blob of await this.contents.blobs(organizationId)) {
      const path = archivePath(blob.folder, blob.name, taken);
      const bytes = await this.read(blob);
      if (bytes === null) missing.push(path);
      else yield { path, content: [bytes] };
    }
    const now = new Date().toISOString();
    const manifest = { version: 1, exported_at: now, tables, left_out: NOT_EXPORTED, missing_files: missing };
    yield { path: 'manifest.json', content: [Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)] };
  }

  private async *rowsOf(table: ExportedTable, organizationId: string, entry: ManifestTable): AsyncGenerator<Buffer> {
    let after: readonly string[] | null = null;
    for (;;) {
      const page = await this.contents.page(table, organizationId, after, PAGE);
      for (const { row } of page) {
        const told = table.table === 'run_segments' ? await withLines(row) : row;
        yield Buffer.from(`${entry.rows === 0 ? '[' : ','}\n${JSON.stringify(withoutSecrets(told))}`);
        entry.rows += 1;
      }
      after = page.at(-1)?.key ?? null;
      if (page.length < PAGE) break;
    }
    yield Buffer.from(entry.rows === 0 ? '[]\n' : '\n]\n');
  }

  /** Null for bytes that are gone: an export without them is better than none. */
  private read({ space, storageName }: ExportedBlob): Promise<Buffer | null> {
    return orNull('not_found', () => this.blobs.read(space, storageName, MAX_BYTES));
  }
}

/** The lines of a segment as texts, whose digests its seal covers. PostgreSQL writes bytes as `\\x` and hexadecimal digits. */
async function withLines({ body, ...segment }: JsonObject): Promise<JsonObject> {
  const bytes = typeof body === 'string' ? Buffer.from(body.slice(2), 'hex') : null;
  return { ...segment, lines: await entriesIn(bytes) };
}

/** Sealed values, at any depth, become null. */
function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return isSealed(value) ? null : value;
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutSecrets(each)]));
}
