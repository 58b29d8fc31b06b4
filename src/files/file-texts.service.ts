import { ExtractionError, Extractor } from '@bellwether/extraction';
import { AppError } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import type { Transaction } from '../infrastructure/database';
import { BlobStore } from './storage/blob-store';
import type { FileEntity } from './storage/file.entity';
import { READ_MAX_BYTES, spaceOf } from './storage/file.repository';
import { type DecodedText, decodeStart, decodeText } from './storage/text';
import { type ExtractedText, FileTextRepository, type TextFailure } from './file-text.repository';

/** A failure expires: a limit may have been raised, or the machine was busy. */
const FAILURE_SECONDS = 3_600;

/** How long saving an assistant waits for a document that was never read. */
const CHECK_MS = 5_000;

/** Most UTF-8 bytes for one UTF-16 code unit. */
const UNIT_BYTES = 3;
/** A byte order mark, or the rest of a character that begins with the last unit. */
const MARK_BYTES = 4;

/** Texts whose content is in markup: pages and notebooks. */
const MARKUP = /\.(?:html?|ipynb)$/i;

/** Text of stored files. Documents go through the extractor once per content. */
@Injectable()
export class FileTexts {
  private readonly running = new Map<string, Promise<ExtractedText>>();

  constructor(
    private readonly kept: FileTextRepository,
    private readonly blobs: BlobStore,
    private readonly extractor: Extractor,
  ) {}

  /** At least the first `maxChars` UTF-16 units. @throws {AppError} `unsupported_media_type` without readable text */
  async read(file: FileEntity, maxChars: number): Promise<ExtractedText> {
    if (isPlain(file)) return this.plain(file, maxChars);
    const found = (await this.kept.find(file, maxChars, FAILURE_SECONDS)) ?? (await this.extracted(file));
    if (found.failure !== null) throw unreadable(`${file.name}: ${found.failure.message}`, found.failure.code);
    return found;
  }

  /** Why the file cannot be read; null when it can or when reading takes longer than `CHECK_MS`. */
  async failure(file: FileEntity): Promise<TextFailure | null> {
    if (isPlain(file)) return null;
    const found = (await this.kept.find(file, 0, FAILURE_SECONDS)) ?? (await within(this.extracted(file), CHECK_MS));
    return found?.failure ?? null;
  }

  /** Deletes the text of replaced content. */
  forget(file: Pick<FileEntity, 'id' | 'organizationId' | 'sha256'>, tx: Transaction): Promise<void> {
    return this.kept.forget(file, tx);
  }

  /** The length of a long text is counted once per content. Later calls read the beginning only. */
  private async plain(file: FileEntity, maxChars: number): Promise<ExtractedText> {
    const startBytes = maxChars * UNIT_BYTES + MARK_BYTES;
    if (file.size <= startBytes) return textOf(plainText(decodeText(await this.bytes(file))));
    const counted = await this.kept.find(file, 0, FAILURE_SECONDS);
    if (counted !== null) {
      const start = await this.blobs.readStart(
        spaceOf(file.organizationId, file.ownerId),
        file.storageName,
        startBytes,
      );
      return { ...counted, text: plainText(decodeStart(start)) };
    }
    const whole = textOf(plainText(decodeText(await this.bytes(file))));
    await this.kept.keep(file, { ...whole, text: '' });
    return whole;
  }

  /** Coalesces concurrent calls. Not abortable, because others may wait and the result is stored. */
  private extracted(file: FileEntity): Promise<ExtractedText> {
    const key = `${file.id} ${file.sha256}`;
    const running = this.running.get(key);
    if (running !== undefined) return running;
    const started = this.extract(file).finally(() => this.running.delete(key));
    this.running.set(key, started);
    return started;
  }

  private async extract(file: FileEntity): Promise<ExtractedText> {
    const bytes = await this.bytes(file);
    const found = await this.outcome(bytes, file.name);
    await this.kept.keep(file, found);
    return found;
  }

  private async outcome(bytes: Buffer, filename: string): Promise<ExtractedText> {
    try {
      const { text, warnings } = await this.extractor.extract({ bytes, filename });
      return textOf(text, warnings);
    } catch (error) {
      if (!(error instanceof ExtractionError)) throw error;
      const plain = decodeText(bytes);
      // An HTML file without markup is plain text.
      if (error.code === 'document.type_mismatch' && MARKUP.test(filename) && plain.ok) return textOf(plain.text);
      return { ...textOf(''), failure: { code: error.code, message: error.message } };
    }
  }

  private bytes(file: FileEntity): Promise<Buffer> {
    return this.blobs.read(spaceOf(file.organizationId, file.ownerId), file.storageName, READ_MAX_BYTES);
  }
}

const unreadable = (detail: string, code: TextFailure['code']): AppError =>
  new AppError('unsupported_media_type', detail, { reason: code ?? 'file.unreadable' });

function plainText(decoded: DecodedText): string {
  if (decoded.ok) return decoded.text;
  if (decoded.reason === 'empty') return '';
  throw unreadable('The file is not UTF-8 text', 'document.encoding');
}

const isPlain = ({ contentType, size, name }: FileEntity): boolean =>
  size === 0 || (contentType.startsWith('text/') && !MARKUP.test(name));

const textOf = (text: string, warnings: readonly string[] = []): ExtractedText => ({
  text,
  totalChars: text.length,
  warnings,
  failure: null,
});

async function within<T>(work: Promise<T>, milliseconds: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
