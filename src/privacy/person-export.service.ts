import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError, type Caller, existing, notFound, orNull } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { type BlobSpace, BlobStore } from '../files';
import { AuditLog } from '../infrastructure/audit';
import { knowledgeBaseSpace } from '../knowledge-bases';
import { type OrganizationRequest, VendorPseudonyms } from '../organizations';
import { RunAccess, presentRun } from '../runs-api';
import { AskersRepository } from './askers.repository';
import type { Subject } from './erasure/erasure.types';
import { SubjectRepository } from './erasure/subject.repository';
import { type PersonIn, PersonRowsRepository } from './person-rows.repository';
import type { PersonTable } from './person-table.types';
import { PERSON_TABLES } from './person-tables';
import type { ErasurePersonDto } from './privacy.dto';
import { type StoredBlob, StoredBlobsRepository } from './stored-blobs.repository';

/** Finds the person behind a pseudonym that a vendor reports. */
@Injectable()
export class PseudonymLookup {
  constructor(
    private readonly pseudonyms: VendorPseudonyms,
    private readonly askers: AskersRepository,
    private readonly subjects: SubjectRepository,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Finds the person behind a pseudonym; only owners may. The audit log records it, whether somebody was found or not.
   * @throws {AppError} `forbidden`, `not_found`
   */
  async find({ caller, organizationId }: OrganizationRequest, pseudonym: string): Promise<ErasurePersonDto> {
    if (caller.role !== 'owner' && !caller.systemAdmin) {
      throw new AppError('forbidden', 'Only owners of the organization may look up a pseudonym', {
        reason: 'role.owner',
      });
    }
    const wanted = pseudonym.trim().toLowerCase();
    const isMatch = (id: string): boolean => this.pseudonyms.ofUser(id, organizationId).includes(wanted);
    const userId = (await this.askers.of(organizationId)).find(isMatch) ?? null;
    const target = { type: 'pseudonym', id: wanted };
    await this.audit.record({
      caller,
      organizationId,
      action: 'pseudonym.look_up',
      target,
      after: { user_id: userId },
    });
    const subject = userId === null ? null : await this.subjects.find(organizationId, userId);
    if (subject === null) throw notFound('Person with this pseudonym');
    return { user_id: subject.userId, email: subject.email, name: subject.name };
  }
}

/** A path without parts that leave the folder or that some system cannot store. Adds the path to `taken`. */
export function archivePath(folder: string, name: string, taken: Set<string>): string {
  const parts = name
    .split(/[/\\]+/)
    .map((part) => part.replace(/[\p{Cc}<>:"|?*]/gu, '_').trim())
    .filter((part) => part !== '' && !/^\.+$/.test(part));
  const path = [folder, ...(parts.length === 0 ? ['file'] : parts)].join('/');
  let free = path;
  for (let number = 2; taken.has(free.toLowerCase()); number++) free = path.replace(/(\.[^./]*)?$/, ` (${number})$1`);
  taken.add(free.toLowerCase());
  return free;
}

/** Writes the files below a new folder, readable by the operator only. Returns their number. */
export async function exportToFolder(files: AsyncIterable<ExportedFile>, folder: string): Promise<number> {
  let count = 0;
  await mkdir(folder, { mode: 0o700 });
  for await (const { path, content } of files) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await pipeline(Readable.from(content), createWriteStream(target, { flags: 'wx', mode: 0o600 }));
    count += 1;
  }
  return count;
}

const PAGE = 200;
/** Larger than any stored file. */
const MAX_BYTES = 200 * 1024 * 1024;

/** One file of the export. */
export interface ExportedFile {
  readonly path: string;
  readonly content: AsyncIterable<Buffer> | Iterable<Buffer>;
}

const README = `This folder holds the personal data that the service stores about one person in one organization.

manifest.json   names every table, its kind and its number of rows, and files that could not be read
data/           one JSON file per table, one array of rows each
files/          files that the person uploaded or had made
documents/      documents in the person's knowledge bases, by knowledge base

Left out: secrets, the search index, which repeats the documents, and what belongs to others: prompts and material of
assistants, and other people in the audit log. An administrator's copy has no conversations, prompt templates,
rubrics, files and documents, and of runs the beginning of the question without the answer.
`;

type Archived = PersonIn & { readonly confidential: boolean };

interface ManifestTable {
  readonly table: string;
  readonly kind: string;
  rows: number;
}

/** Everything about one person, file by file. Nothing is held in memory but a page of rows or one file. */
@Injectable()
export class PersonExports {
  constructor(
    private readonly subjects: SubjectRepository,
    private readonly rows: PersonRowsRepository,
    private readonly stored: StoredBlobsRepository,
    private readonly blobs: BlobStore,
    private readonly audit: AuditLog,
    private readonly runs: RunAccess,
  ) {}

  /** The person; records that the data leaves the service. `caller` null is the operator. @throws {AppError} `not_found` */
  async begin(caller: Caller | null, organizationId: string, member: string): Promise<Subject> {
    const subject = await this.find(organizationId, member);
    const target = { type: 'member', id: subject.userId };
    await this.audit.record({ caller, organizationId, action: 'person.export', target });
    return subject;
  }

  /** @throws {AppError} `not_found` */
  async find(organizationId: string, member: string): Promise<Subject> {
    return existing(await this.subjects.find(organizationId, member), 'Member');
  }

  /** Each file must be read to its end before the next one. `confidential` false: for an administrator. */
  async *files(person: PersonIn, { confidential = true } = {}): AsyncGenerator<ExportedFile> {
    yield { path: 'README.txt', content: [Buffer.from(README)] };
    const tables: ManifestTable[] = [];
    const leaving = PERSON_TABLES.filter(({ exported }) => exported !== null);
    const isLeftOut = ({ isConfidential }: PersonTable): boolean => isConfidential === true && !confidential;
    for (const table of leaving.filter((each) => !isLeftOut(each))) {
      const entry: ManifestTable = { table: table.table, kind: table.kind, rows: 0 };
      tables.push(entry);
      yield { path: `data/${table.table}.json`, content: this.rowsOf(table, { ...person, confidential }, entry) };
    }
    const missing: string[] = [];
    const taken = new Set<string>();
    for (const blob of confidential ? await this.stored.of(person) : []) {
      const path = archivePath(blob.folder, blob.name, taken);
      const bytes = await this.read(person, blob);
      if (bytes === null) missing.push(path);
      else yield { path, content: [bytes] };
    }
    const leftOut = confidential ? [] : [...leaving.filter(isLeftOut).map(({ table }) => table), 'files', 'documents'];
    const now = new Date().toISOString();
    const manifest = { version: 1, exported_at: now, tables, left_out: leftOut, missing_files: missing };
    yield { path: 'manifest.json', content: [Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)] };
  }

  private async *rowsOf(table: PersonTable, person: Archived, entry: ManifestTable): AsyncGenerator<Buffer> {
    let after: string | null = null;
    for (;;) {
      const page = await this.rows.page(table, person, after, PAGE);
      for (const { key, row } of page) {
        const told = table.exported === 'as_asker' ? await this.run(person, key) : row;
        if (told === null) continue;
        yield Buffer.from(`${entry.rows === 0 ? '[' : ','}\n${JSON.stringify(told)}`);
        entry.rows += 1;
      }
      after = page.at(-1)?.key ?? null;
      if (page.length < PAGE) break;
    }
    yield Buffer.from(entry.rows === 0 ? '[]\n' : '\n]\n');
  }

  private async run(person: Archived, id: string): Promise<object | null> {
    const run = await this.runs.archived(person, id);
    return run === null ? null : presentRun(run);
  }

  /** Null for bytes that are gone: an export without them is better than none. */
  private read({ organizationId, userId }: PersonIn, blob: StoredBlob): Promise<Buffer | null> {
    const space: BlobSpace =
      blob.knowledgeBaseId === null
        ? ['files', organizationId, userId]
        : knowledgeBaseSpace(organizationId, blob.knowledgeBaseId);
    return orNull('not_found', () => this.blobs.read(space, blob.storageName, MAX_BYTES));
  }
}
