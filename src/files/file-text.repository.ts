import type { ExtractionErrorCode } from '@bellwether/extraction';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../infrastructure/database';
import type { FileEntity } from './storage/file.entity';
import './file-text.entity';

/** Why a document cannot be read. */
export interface TextFailure {
  /** Code of `extraction`; null for failures that were stored before it was. */
  readonly code: ExtractionErrorCode | null;
  readonly message: string;
}

/** Result of reading a document: either `text` or `failure` is set. */
export interface ExtractedText {
  /** The beginning, at least as long as requested. */
  readonly text: string;
  /** UTF-16 code units of the whole text. */
  readonly totalChars: number;
  readonly warnings: readonly string[];
  readonly failure: TextFailure | null;
}

const FIND = `
  SELECT left(text, $4) AS text, total_chars, warnings, failure, failure_code FROM file_texts
  WHERE file_id = $1 AND organization_id = $2 AND sha256 = $3
    AND (failure IS NULL OR extracted_at > now() - make_interval(secs => $5))`;

const KEEP = `
  INSERT INTO file_texts (file_id, organization_id, sha256, text, total_chars, warnings, failure, failure_code, extracted_at)
  SELECT id, organization_id, sha256, $4, $5::integer, $6::text[], $7, $8, now() FROM files
  WHERE id = $1 AND organization_id = $2 AND sha256 = $3 FOR SHARE
  ON CONFLICT ON CONSTRAINT file_texts_pk DO UPDATE SET sha256 = EXCLUDED.sha256, text = EXCLUDED.text,
    total_chars = EXCLUDED.total_chars, warnings = EXCLUDED.warnings, failure = EXCLUDED.failure,
    failure_code = EXCLUDED.failure_code, extracted_at = EXCLUDED.extracted_at`;

const FORGET = 'DELETE FROM file_texts WHERE file_id = $1 AND organization_id = $2 AND sha256 <> $3';

/** PostgreSQL counts characters, of which there are never more than UTF-16 code units. */
const MOST = 2_147_483_647;

interface Row {
  readonly text: string;
  readonly total_chars: number;
  readonly warnings: string[];
  readonly failure: string | null;
  readonly failure_code: ExtractionErrorCode | null;
}

/** At most one row per file. Deleting the file or replacing its content deletes the row. */
@Injectable()
export class FileTextRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** At least the first `maxChars` UTF-16 units. Null for other content and for expired failures. */
  async find(file: FileEntity, maxChars: number, failureSeconds: number): Promise<ExtractedText | null> {
    const values = [file.id, file.organizationId, file.sha256, Math.min(maxChars, MOST), failureSeconds];
    const [row] = await this.dataSource.query<Row[]>(FIND, values);
    if (row === undefined) return null;
    const { text, total_chars: totalChars, warnings, failure: message, failure_code: code } = row;
    return { text, totalChars, warnings, failure: message === null ? null : { code, message } };
  }

  /**
   * Stores nothing for a file that was deleted or replaced meanwhile. The row lock makes a concurrent replacement wait, so its
   * `forget` sees this row.
   */
  async keep(file: FileEntity, { text, totalChars, warnings, failure }: ExtractedText): Promise<void> {
    const values = [
      file.id,
      file.organizationId,
      file.sha256,
      text,
      totalChars,
      warnings,
      failure?.message,
      failure?.code,
    ];
    await this.dataSource.query(KEEP, values);
  }

  /** Deletes the text of content other than `sha256`. The caller holds the row lock of the file. */
  async forget(file: Pick<FileEntity, 'id' | 'organizationId' | 'sha256'>, tx: Transaction): Promise<void> {
    await tx.query(FORGET, [file.id, file.organizationId, file.sha256]);
  }
}
