import { Injectable } from '@nestjs/common';
import { FileImport, type ImportedFile, type StoredBytes } from '../../../src/files';
import { fingerprint } from '../convert/fingerprint';
import type { ImportContext } from '../plan/import-context.types';
import type { ImportPlan, SourceItem } from '../plan/plan.types';
import { noteColleagues, readerKey, type WantedFile, wantedFiles } from './wanted-files';

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
