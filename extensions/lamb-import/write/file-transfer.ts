import { Injectable } from '@nestjs/common';
import { FileImport, type ImportedFile, type StoredBytes } from '../../../src/files';
import { fingerprint } from '../organization-settings';
import type { ImportContext, ImportPlan, PlannedAssistant, SourceItem } from '../plan/plan.types';
import type { ReportBuilder } from '../report-builder';

/** A file that assistants of one owner read. */
interface WantedFile {
  /** Identifies the file in later imports: its owner and name here. */
  readonly origin: string;
  readonly ownerId: string;
  readonly name: string;
  /** Below the source's public folder. */
  readonly path: string;
  readonly readers: FileReader[];
}

interface FileReader {
  readonly assistant: number;
  /** The path in this assistant's metadata. */
  readonly path: string;
  /** The colleague's folder that the file lies in; null for the owner's own. */
  readonly colleague: string | null;
}

const LONGEST_ORIGIN = 500;

function originOf(ownerId: string, name: string): string {
  const key = `${ownerId}/${name}`;
  return key.length <= LONGEST_ORIGIN ? key : fingerprint(key);
}

const readerKey = ({ assistant, path }: Pick<FileReader, 'assistant' | 'path'>): string => `${assistant} ${path}`;

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.');
const normalized = (path: string): string => partsOf(path).join('/');
const isSamePath = (one: WantedFile, other: WantedFile): boolean => normalized(one.path) === normalized(other.path);

/** Files that assistants read and may read. Of several with one name here, the one with that name there, else the first. */
function wantedFiles(plan: ImportPlan, files: Pick<FileImport, 'nameOf'>, report: ReportBuilder): WantedFile[] {
  const byOrigin = new Map<string, WantedFile[]>();
  const refused: { file: WantedFile; reason: string }[] = [];
  for (const assistant of plan.assistants) {
    for (const path of assistant.files) {
      const inside = files.nameOf(path);
      if (!inside.ok) {
        report.missingFile(path, assistant.id, `its path ${inside.problem}`);
        continue;
      }
      const { name } = inside;
      const { ownerId } = assistant.value;
      const { refusal, colleague } = accessTo(path, assistant, plan);
      const readers = [{ assistant: assistant.id, path, colleague }];
      const file = { origin: originOf(ownerId, name), ownerId, name, path, readers };
      if (refusal !== null) refused.push({ file, reason: refusal });
      else addTo(byOrigin, file);
    }
  }
  for (const { file, reason } of refused) {
    // Another assistant of the same owner may copy the file; then this one reads the copy.
    const copied = byOrigin.get(file.origin)?.find((other) => isSamePath(other, file));
    if (copied !== undefined) copied.readers.push(...file.readers);
    else reportMissing(file, reason, report);
  }
  return [...byOrigin.values()].flatMap((rivals) => {
    const chosen = rivals.find(({ name, path }) => normalized(path) === name) ?? rivals[0];
    for (const rival of rivals) {
      if (rival !== chosen) reportMissing(rival, `another file is called ${rival.name} here`, report);
    }
    return chosen ?? [];
  });
}

function addTo(byOrigin: Map<string, WantedFile[]>, file: WantedFile): void {
  const rivals = byOrigin.get(file.origin) ?? [];
  byOrigin.set(file.origin, rivals);
  const same = rivals.find((rival) => isSamePath(rival, file));
  if (same === undefined) rivals.push(file);
  else same.readers.push(...file.readers);
}

function reportMissing({ readers }: WantedFile, reason: string, report: ReportBuilder): void {
  for (const { assistant, path } of readers) report.missingFile(path, assistant, reason);
}

/**
 * Whether an assistant may read a path. Its author wrote the path, so a colleague's file is allowed only where colleagues
 * could see the assistant.
 */
function accessTo(
  path: string,
  { id, value, formerOwnerId }: PlannedAssistant,
  { userIds, shares }: ImportPlan,
): { readonly refusal: string | null; readonly colleague: string | null } {
  const [folder = ''] = partsOf(path);
  const user = /^[1-9]\d{0,14}$/.test(folder) ? userIds.get(Number(folder)) : undefined;
  if (user === undefined) return { refusal: 'its folder belongs to no member of this organization', colleague: null };
  if (user === value.ownerId || user === formerOwnerId) return { refusal: null, colleague: null };
  const isSeen = value.published || (shares.get(id) ?? []).length > 0;
  const refusal = 'it lies in the folder of a colleague, and the assistant is neither published nor shared';
  return { refusal: isSeen ? null : refusal, colleague: folder };
}

function noteColleagues({ path, readers }: WantedFile, { assistants }: ImportPlan, report: ReportBuilder): void {
  for (const { assistant, colleague } of readers) {
    if (colleague === null) continue;
    const name = assistants.find(({ id }) => id === assistant)?.name ?? null;
    const message = `reads ${path} of user ${colleague}; its owner has a copy of it here`;
    report.note({ kind: 'assistant', origin: assistant, name }, 'file.of_colleague', message);
  }
}

/** The local name of a file that an assistant reads; the source's path when the file was not imported. */
export type FileNames = (assistant: number, path: string) => string;

export interface TransferredFiles {
  readonly items: readonly SourceItem<ImportedFile>[];
  readonly nameOf: FileNames;
}

/** Interval in which a long transfer renews the lease. */
const RENEW_MS = 10_000;

/** Copies files that assistants read from the source's public folder to the blob store, before the transaction. */
@Injectable()
export class FileTransfer {
  constructor(private readonly files: FileImport) {}

  /** Stores the bytes of new and changed files, unless it is a dry run. @throws when the signal fires or the disk is full */
  async transfer(plan: ImportPlan, context: ImportContext): Promise<TransferredFiles> {
    const { organizationId, options, renewLease, tell } = context;
    const wanted = wantedFiles(plan, this.files, context.report);
    const items: SourceItem<ImportedFile>[] = [];
    let renewed = performance.now();
    try {
      for (const [index, file] of wanted.entries()) {
        tell(`file ${index + 1} of ${wanted.length}`);
        options.signal.throwIfAborted();
        if (performance.now() - renewed > RENEW_MS) {
          await renewLease();
          renewed = performance.now();
        }
        const item = await this.transferOne(file, context);
        if (item === null) continue;
        items.push(item);
        noteColleagues(file, plan, context.report);
      }
    } catch (error) {
      const stored = items.map(({ value }) => value);
      await this.files.discardAfter(error, organizationId, stored);
      throw error;
    }
    const names = new Map(wanted.flatMap(({ name, readers }) => readers.map((reader) => [readerKey(reader), name])));
    return { items, nameOf: (assistant, path) => names.get(readerKey({ assistant, path })) ?? path };
  }

  /** Removes bytes unless the error leaves open whether rows name them. */
  discardAfter(error: unknown, organizationId: string, bytes: readonly StoredBytes[]): Promise<void> {
    return this.files.discardAfter(error, organizationId, bytes);
  }

  /** Removes bytes that no row names. */
  discard(organizationId: string, bytes: readonly StoredBytes[]): Promise<void> {
    return this.files.discard(organizationId, bytes);
  }

  private async transferOne(wanted: WantedFile, context: ImportContext): Promise<SourceItem<ImportedFile> | null> {
    const { ownerId, name, path, origin } = wanted;
    const { organizationId, options, origins, report } = context;
    const missing = (reason: string): null => {
      for (const { assistant } of wanted.readers) report.missingFile(path, assistant, reason);
      return null;
    };
    const link = origins.find('file', origin);
    if (options.files === null) {
      if (link === null) return missing('no folder of files was given');
      report.count('file', 'unchanged');
      return null;
    }
    const found = await this.files.read(options.files, path);
    if (!found.found) return missing(found.problem);
    const file = this.files.describe(ownerId, name, found.bytes, found.sha256);
    const isStored = options.dryRun || link?.importedSha256 === fingerprint(this.files.compared(file));
    const value = isStored ? file : await this.files.store(organizationId, file, found.bytes);
    return { origin, name: path, value };
  }
}
