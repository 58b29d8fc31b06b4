import { Baseline } from './baseline';

/** Rows of other installations and what they became here. */
export class BaselineLambImport1700000000019 extends Baseline {
  readonly name = 'BaselineLambImport1700000000019';
  protected readonly schema = `
    -- Both sides as they looked then, so that a second import changes only what changed there and not here.
    CREATE TABLE origins (
      organization_id uuid NOT NULL
        CONSTRAINT origins_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      source text NOT NULL,
      kind text NOT NULL,
      origin_id text NOT NULL,
      local_id text NOT NULL,
      imported_sha256 text NOT NULL,
      local_sha256 text NOT NULL,
      imported_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT origins_pk PRIMARY KEY (organization_id, source, kind, origin_id)
    );
    CREATE UNIQUE INDEX origins_organization_key ON origins (source, origin_id) WHERE kind = 'organization';

    CREATE TABLE import_leases (
      name text CONSTRAINT import_leases_pk PRIMARY KEY,
      token uuid NOT NULL,
      holder text NOT NULL,
      until timestamptz NOT NULL
    )`;
}
