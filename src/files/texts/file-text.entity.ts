import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Extracted text of one file, or why it has none; of plain text `total_chars` alone, with an empty `text`. It is about the content whose `sha256` it names.
 * Rows are read and written in SQL; the entity is the table's shape.
 * @public
 */
@Entity('file_texts')
export class FileTextEntity {
  @PrimaryColumn('uuid', { name: 'file_id', primaryKeyConstraintName: 'file_texts_pk' })
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

  @Column('timestamptz', { name: 'extracted_at' })
  extractedAt!: Date;
}
