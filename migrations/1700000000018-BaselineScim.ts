import { Baseline } from './baseline';

/** People that a directory provisions. */
export class BaselineScim1700000000018 extends Baseline {
  readonly name = 'BaselineScim1700000000018';
  protected readonly schema = `
    CREATE TABLE scim_users (
      organization_id uuid NOT NULL,
      user_id uuid NOT NULL,
      user_name_key text NOT NULL,
      external_id text,
      resource jsonb NOT NULL,
      deleted_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT scim_users_pk PRIMARY KEY (organization_id, user_id),
      CONSTRAINT scim_users_user_name_uq UNIQUE (organization_id, user_name_key),
      CONSTRAINT scim_users_member_fk
        FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE
    );
    CREATE INDEX scim_users_external_idx ON scim_users (organization_id, external_id)`;
}
