import type { KbData, KbFile } from '@bellwether/lamb-reader';
import { createHash } from 'node:crypto';
import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { basename, extname, join, sep } from 'node:path';
import { Injectable } from '@nestjs/common';
import { KnowledgeBaseImport, type NewSource, type StoredUpload } from '../../../src/knowledge-bases';
import { LONGEST_LABEL, cleanLabel } from '../organization-settings';
import type { Origins } from '../origin.repository';
import type { CollectionReport } from './kb-report';

type Original = { readonly bytes: Buffer } | { readonly refusal: string };

const refused = (refusal: string): Original => ({ refusal });

/** The path below `static/`. The server stores its own absolute path, in which the folder may occur twice. */
function relativePath({ path, url }: KbFile): string | null {
  for (const text of [path.replaceAll('\\', '/'), pathOf(url)]) {
    const at = text.lastIndexOf('/static/');
    if (at >= 0) return text.slice(at + '/static/'.length);
    if (text.startsWith('static/')) return text.slice('static/'.length);
  }
  return null;
}

function pathOf(url: string): string {
  if (!URL.canParse(url)) return '';
  try {
    return decodeURIComponent(new URL(url).pathname);
  } catch {
    return '';
  }
}

/** Path of the original, or why it is not looked for. */
function originalOf(folder: string | null, file: KbFile): { readonly target: string } | { readonly refusal: string } {
  if (folder === null) return { refusal: 'the data folder has no static/' };
  const path = relativePath(file);
  if (path === null || path === '' || path.includes('\0')) return { refusal: 'its path is not in static/' };
  const parts = path.split('/');
  if (parts.includes('..') || parts.includes('.')) return { refusal: OUTSIDE };
  return { target: join(folder, ...parts) };
}

const OUTSIDE = 'its path leads out of static/';

/** The Markdown that LAMB keeps beside an original which it converted; null when there is none. */
async function readConverted(folder: string | null, file: KbFile, maxBytes: number): Promise<Buffer | null> {
  const beside = (text: string): string => text.replace(/\.[^./\\]{1,16}$/, '.md');
  const [path, url] = [beside(file.path), beside(file.url)];
  if (path === file.path) return null;
  const found = await readOriginal(folder, { ...file, path, url }, maxBytes);
  return 'bytes' in found && found.bytes.length > 0 ? found.bytes : null;
}

/** The original of a file. Paths come from the source: nothing outside the folder is read, and no symbolic link. */
async function readOriginal(folder: string | null, file: KbFile, maxBytes: number): Promise<Original> {
  const place = originalOf(folder, file);
  if ('refusal' in place || folder === null) return refused('refusal' in place ? place.refusal : OUTSIDE);
  try {
    return await readInside(folder, place.target, maxBytes);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return refused('its original is not there');
    return refused(`its original cannot be read: ${code ?? 'unknown error'}`);
  }
}

async function readInside(folder: string, target: string, maxBytes: number): Promise<Original> {
  if ((await lstat(target)).isSymbolicLink()) return refused('is a symbolic link');
  const root = await realpath(folder);
  if (!(await realpath(target)).startsWith(root + sep)) return refused(OUTSIDE);
  const found = await stat(target);
  if (!found.isFile()) return refused('is not a file');
  if (found.size > maxBytes) return refused(`is larger than ${maxBytes} bytes`);
  return { bytes: await readFile(target) };
}

const PLUGINS = ['url_ingest', 'youtube_transcript_ingest'];
const KEYS = ['urls', 'url', 'video_urls', 'video_url', 'source_url'];

const isWebAddress = (text: string): boolean => /^https?:\/\/\S+$/i.test(text);

/** True for rows that stand for pages and videos. */
const isAddressFile = ({ plugin }: KbFile): boolean => PLUGINS.includes(plugin);

interface FoundAddresses {
  readonly addresses: readonly string[];
  /** Parameters that are no address. */
  readonly refused: readonly string[];
}

/**
 * Addresses that the server read for this row: parameters of the plugin, else the row's name and address, else the lines of
 * its file.
 */
function addressesOf({ parameters, name, url }: KbFile, lines: string): FoundAddresses {
  const given = KEYS.flatMap((key) => parameters[key]).flatMap((value) => (typeof value === 'string' ? [value] : []));
  const texts = [...new Set(given.map((text) => text.trim()).filter((text) => text !== ''))];
  const refused = texts.filter((text) => !isWebAddress(text));
  const listed = [texts, [name, url.includes('/static/') ? '' : url], lines.split(/\r?\n/)];
  for (const each of listed) {
    const addresses = each.map((text) => text.trim()).filter(isWebAddress);
    if (addresses.length > 0) return { addresses: [...new Set(addresses)], refused };
  }
  return { addresses: [], refused };
}

/** Two letters, or null. */
function languageOf({ parameters: { language } }: KbFile): string | null {
  return typeof language === 'string' && /^[a-z]{2}$/.test(language) ? language : null;
}

/** Longest extension that says a format. */
const EXTENSION = /^\.[a-z0-9]{1,8}$/i;

const lastPart = (text: string): string => cleanLabel(basename(text.replaceAll('\\', '/')));
const extensionIn = (text: string): string => (EXTENSION.test(extname(text)) ? extname(text) : '');

/** Shortens the part before the extension, which names the format. */
function fitted(stem: string, extension: string): string {
  return stem.slice(0, LONGEST_LABEL - extension.length).toWellFormed() + extension;
}

/**
 * The name of the document. LAMB stores the name that the browser sent, and the file under a generated name with its
 * extension.
 */
export function documentNameOf({ name, path }: KbFile): string {
  const sent = basename(name.replaceAll('\\', '/'));
  const extension = extensionIn(sent) || extensionIn(path);
  const stem = extensionIn(sent) === '' ? sent : sent.slice(0, -extension.length);
  const label = cleanLabel(stem) || lastPart(path).replace(/\.[^.]*$/, '') || 'document';
  return fitted(label, cleanLabel(extension));
}

/** The name of a text that LAMB made of a file. */
export const convertedNameOf = (file: KbFile): string => fitted(documentNameOf(file), '.md');

/** `name (2).md`, and so on. */
export function numbered(name: string, number: number): string {
  if (number === 1) return name;
  const extension = extname(name);
  return fitted(name.slice(0, name.length - extension.length), ` (${number})${extension}`);
}

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
