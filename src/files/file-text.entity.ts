import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Extracted text of one file for the content `sha256`, or the failure. For plain text only `total_chars`, with an empty `text`.
 * Rows are read and written in SQL; the entity is the table's shape.
 * @public
 */
@Entity('file_texts')
export class FileTextEntity {
  @PrimaryColumn('uuid', { name: 'file_id' })
  fileId!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('text')
  sha256!: string;

  @Column('text')
  text!: string;

  /** UTF-16 code units of `text`. */
  @Column('integer', { name: 'total_chars' })
  totalChars!: number;

  @Column('text', { array: true })
  warnings!: string[];

  /** A sentence for the owner; null when the file was read. */
  @Column('text', { nullable: true })
  failure!: string | null;

  @Column('text', { name: 'failure_code', nullable: true })
  failureCode!: string | null;

  @Column('timestamptz', { name: 'extracted_at' })
  extractedAt!: Date;
}
