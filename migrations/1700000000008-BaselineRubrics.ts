import { Baseline } from './baseline';

/** Rubrics, which tools read and people share. */
export class BaselineRubrics1700000000008 extends Baseline {
  readonly name = 'BaselineRubrics1700000000008';
  protected readonly schema = `
    CREATE TABLE rubrics (
      id uuid CONSTRAINT rubrics_pk PRIMARY KEY,
      organization_id uuid NOT NULL CONSTRAINT rubrics_organization_fk REFERENCES organizations (id),
      owner_id uuid NOT NULL CONSTRAINT rubrics_owner_fk REFERENCES users (id),
      rubric_key text NOT NULL,
      origin_id integer,
      title text NOT NULL,
      visibility text NOT NULL DEFAULT 'private',
      document json NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      origin_key text,
      version integer NOT NULL DEFAULT 1,
      CONSTRAINT rubrics_origin_key_uq UNIQUE (organization_id, origin_key),
      CONSTRAINT rubrics_origin_uq UNIQUE (organization_id, origin_id),
      CONSTRAINT rubrics_visibility_ck CHECK (visibility IN ('private', 'organization'))
    );
    CREATE INDEX rubrics_key_idx ON rubrics (organization_id, rubric_key);
    CREATE INDEX rubrics_owner_idx ON rubrics (organization_id, owner_id)`;
}
