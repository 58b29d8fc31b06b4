import { Baseline } from './baseline';

/** Files of people. Their bytes lie in the data directory or a bucket. */
export class BaselineFiles1700000000006 extends Baseline {
  readonly name = 'BaselineFiles1700000000006';
  protected readonly schema = `
    CREATE TABLE files (
      id uuid CONSTRAINT files_pk PRIMARY KEY,
      organization_id uuid NOT NULL CONSTRAINT files_organization_fk REFERENCES organizations (id),
      owner_id uuid NOT NULL CONSTRAINT files_owner_fk REFERENCES users (id),
      name text NOT NULL,
      content_type text NOT NULL,
      size integer NOT NULL,
      sha256 text NOT NULL,
      storage_name text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT files_name_uq UNIQUE (organization_id, owner_id, name)
    );

    CREATE TABLE file_texts (
      file_id uuid CONSTRAINT file_texts_pk PRIMARY KEY
        CONSTRAINT file_texts_file_fk REFERENCES files (id) ON DELETE CASCADE,
      organization_id uuid NOT NULL,
      sha256 text NOT NULL,
      text text NOT NULL,
      total_chars integer NOT NULL,
      warnings text[] NOT NULL,
      failure text,
      extracted_at timestamptz NOT NULL,
      failure_code text
    )`;
}
