import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { KnowledgeBaseImport, type NewSource, type StoredUpload } from '../../../src/knowledge-bases';
import { cleanLabel } from '../convert/clean-label';
import type { Origins } from '../storage/origin.repository';
import { convertedNameOf, documentNameOf, numbered } from './document-name';
import { addressesOf, isAddressFile, languageOf } from './file-addresses';
import type { CollectionReport } from './kb-report';
import type { KbData, KbFile } from './kb-tables';
import { readConverted, readOriginal } from './original-files';

export interface PlannedFiles {
  readonly uploads: readonly { readonly origin: string; readonly upload: StoredUpload }[];
  readonly sources: readonly (NewSource & { readonly origin: string })[];
}

export interface FilesContext {
  readonly base: { readonly organizationId: string; readonly id: string; readonly ownerId: string };
  /** The knowledge base is not stored yet. */
  readonly isNew: boolean;
  readonly origins: Origins;
  readonly report: CollectionReport;
  readonly data: KbData;
  /** Bytes are read and not kept. */
  readonly dryRun: boolean;
  readonly maxBytes: number;
}

interface Plan {
  readonly uploads: { origin: string; upload: StoredUpload }[];
  readonly sources: (NewSource & { origin: string })[];
  readonly names: Set<string>;
}

type Content = { readonly bytes: Buffer; readonly name: string } | { readonly refusal: string };

type Found = { readonly sha256: string; readonly name: string; readonly isUpdate: boolean } | null;

const CONVERTED = 'is of a format that is not read here; the text that LAMB made of it was taken';

/** Decides about the files of one collection, and keeps the bytes of those that are new. */
@Injectable()
export class CollectionFiles {
  constructor(private readonly knowledgeBases: KnowledgeBaseImport) {}

  async plan(files: readonly KbFile[], context: FilesContext): Promise<PlannedFiles> {
    const plan: Plan = { uploads: [], sources: [], names: new Set() };
    try {
      for (const file of files) await this.add(file, plan, context);
    } catch (error) {
      const stored = plan.uploads.map(({ upload }) => upload);
      await this.knowledgeBases.discardAfter(error, context.base, stored);
      throw error;
    }
    return plan;
  }

  private async add(file: KbFile, plan: Plan, context: FilesContext): Promise<void> {
    if (file.status === 'deleted') return leaveOut(file, context, 'file.deleted', 'was deleted in LAMB');
    if (file.status === 'cancelled') return leaveOut(file, context, 'file.cancelled', 'was cancelled in LAMB');
    if (isAddressFile(file)) return this.addAddresses(file, plan, context);
    const original = await readOriginal(context.data.originals, file, context.maxBytes);
    if ('refusal' in original) return leaveOut(file, context, 'file.missing', original.refusal);
    const content = await this.readable(file, original.bytes, context);
    if ('refusal' in content) return leaveOut(file, context, 'file.unreadable', content.refusal);
    const { bytes, name } = content;
    const found = await this.compare(file, content, plan, context);
    if (found === null) return;
    plan.names.add(found.name);
    const { organizationId, id } = context.base;
    if (!context.dryRun) {
      const upload = await this.knowledgeBases.keep(organizationId, id, found.name, bytes);
      plan.uploads.push({ origin: String(file.id), upload });
    }
    context.report.count('document', found.isUpdate ? 'updated' : 'created');
    if (name !== documentNameOf(file)) note(file, context, 'file.converted', CONVERTED);
    if (file.status === 'failed') note(file, context, 'file.failed', 'had failed in LAMB; it is read again here');
  }

  /** The original, or the Markdown that LAMB made of a format that is not read here. */
  private async readable(file: KbFile, bytes: Buffer, { data, maxBytes }: FilesContext): Promise<Content> {
    const name = documentNameOf(file);
    const refusal = await this.knowledgeBases.unreadable(bytes, name);
    if (refusal === null) return { bytes, name };
    const converted = await readConverted(data.originals, file, maxBytes);
    const markdown = convertedNameOf(file);
    if (converted === null || (await this.knowledgeBases.unreadable(converted, markdown)) !== null) return { refusal };
    return { bytes: converted, name: markdown };
  }

  /** Null when there is nothing to do, or when the document here was changed. */
  private async compare(
    file: KbFile,
    { bytes, name }: Exclude<Content, { readonly refusal: string }>,
    plan: Plan,
    { base, isNew, origins, report }: FilesContext,
  ): Promise<Found> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const link = origins.find('kb_document', String(file.id));
    if (link === null) return { sha256, name: await this.freeName(name, plan, isNew ? null : base), isUpdate: false };
    const document = await this.knowledgeBases.document(base, link.localId);
    // Deleted here, it stays deleted.
    if (link.importedSha256 === sha256 || document === null) {
      report.count('document', 'unchanged');
      return null;
    }
    if (document.sha256 === link.localSha256) return { sha256, name: document.filename, isUpdate: true };
    const message = 'was changed here and at the source; the document here was kept';
    const code = 'changed_on_both_sides';
    report.refuse({
      kind: 'document',
      origin: String(file.id),
      name,
      outcome: 'conflict',
      code,
      message,
    });
    return null;
  }

  private async freeName(wish: string, { names }: Plan, base: FilesContext['base'] | null): Promise<string> {
    for (let number = 1; ; number++) {
      const name = numbered(wish, number);
      if (!names.has(name) && (base === null || !(await this.knowledgeBases.isNameTaken(base, name)))) return name;
    }
  }

  private async addAddresses(file: KbFile, plan: Plan, context: FilesContext): Promise<void> {
    const { base, isNew, origins, report, data } = context;
    const listed = await readOriginal(data.originals, file, 64 * 1024);
    const { addresses, refused } = addressesOf(file, 'bytes' in listed ? listed.bytes.toString('utf8') : '');
    for (const text of refused) {
      leaveOut({ ...file, name: text }, context, 'file.address', 'is no http or https address', 'source');
    }
    if (addresses.length + refused.length === 0)
      return leaveOut(file, context, 'file.address', 'names no address of a page or a video', 'source');
    for (const address of addresses) {
      const checked = await this.knowledgeBases.checkedAddress(address);
      if ('refusal' in checked) {
        leaveOut({ ...file, name: address }, context, 'file.address', checked.refusal, 'source');
        continue;
      }
      const { url } = checked;
      const origin = `${file.id} ${url}`;
      const isThere =
        origins.find('kb_source', origin) !== null ||
        plan.sources.some((source) => source.url === url) ||
        (!isNew && (await this.knowledgeBases.hasSource(base, url)));
      report.count('source', isThere ? 'unchanged' : 'created');
      if (!isThere) plan.sources.push({ origin, url, language: languageOf(file) });
    }
  }
}

function leaveOut(
  file: KbFile,
  { report }: FilesContext,
  code: string,
  message: string,
  kind: 'document' | 'source' = 'document',
): void {
  const name = kind === 'source' ? cleanLabel(file.name) : documentNameOf(file);
  report.refuse({ kind, origin: String(file.id), name, outcome: 'left_out', code, message });
}

function note(file: KbFile, { report }: FilesContext, code: string, message: string): void {
  report.note({ kind: 'document', origin: String(file.id), name: documentNameOf(file), code, message });
}
