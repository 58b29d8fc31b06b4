import { Baseline } from './baseline';

/** Organizations, people, their memberships and groups. */
export class BaselineOrganizations1700000000001 extends Baseline {
  readonly name = 'BaselineOrganizations1700000000001';
  protected readonly schema = `
    CREATE TABLE organizations (
      id uuid CONSTRAINT organizations_pk PRIMARY KEY,
      slug text NOT NULL CONSTRAINT organizations_slug_key UNIQUE,
      name text NOT NULL,
      is_system boolean NOT NULL DEFAULT false,
      settings jsonb NOT NULL DEFAULT '{}',
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      suspended boolean NOT NULL DEFAULT false,
      version integer NOT NULL DEFAULT 1,
      erase_after timestamptz,
      ending jsonb
    );
    -- At most one system organization, whatever races at the first start.
    CREATE UNIQUE INDEX organizations_system_key ON organizations (is_system) WHERE is_system;

    CREATE TABLE users (
      id uuid CONSTRAINT users_pk PRIMARY KEY,
      email text NOT NULL CONSTRAINT users_email_key UNIQUE,
      system_admin boolean NOT NULL DEFAULT false,
      created_at timestamptz NOT NULL DEFAULT now(),
      invitation_mails integer NOT NULL DEFAULT 0,
      invitation_mails_since timestamptz
    );

    CREATE TABLE members (
      organization_id uuid NOT NULL
        CONSTRAINT members_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      user_id uuid NOT NULL CONSTRAINT members_user_fk REFERENCES users (id) ON DELETE CASCADE,
      name text NOT NULL,
      role text NOT NULL,
      disabled boolean NOT NULL DEFAULT false,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      first_signed_in_at timestamptz,
      invited_at timestamptz,
      invitation text,
      invitation_problem text,
      checklist jsonb NOT NULL DEFAULT '{}',
      CONSTRAINT members_pk PRIMARY KEY (organization_id, user_id)
    );
    CREATE INDEX members_user_idx ON members (user_id);

    CREATE TABLE groups (
      id uuid CONSTRAINT groups_pk PRIMARY KEY,
      organization_id uuid NOT NULL
        CONSTRAINT groups_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      name text NOT NULL,
      name_key text NOT NULL,
      description text NOT NULL DEFAULT '',
      external_id text,
      owner_id uuid,
      source text NOT NULL DEFAULT 'manual',
      version integer NOT NULL DEFAULT 1,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT groups_external_id_uq UNIQUE (organization_id, external_id),
      CONSTRAINT groups_name_uq UNIQUE (organization_id, name_key),
      CONSTRAINT groups_source_ck CHECK (source IN ('manual', 'scim'))
    );

    CREATE TABLE group_members (
      group_id uuid NOT NULL CONSTRAINT group_members_group_fk REFERENCES groups (id) ON DELETE CASCADE,
      user_id uuid NOT NULL,
      source text NOT NULL,
      organization_id uuid NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT group_members_pk PRIMARY KEY (group_id, user_id, source),
      CONSTRAINT group_members_member_fk
        FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE,
      CONSTRAINT group_members_source_ck CHECK (source IN ('manual', 'sso', 'scim'))
    );
    CREATE INDEX group_members_user_idx ON group_members (organization_id, user_id);

    -- The last outcomes of the vendors and servers of each organization.
    CREATE TABLE connection_health (
      organization_id uuid NOT NULL
        CONSTRAINT connection_health_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      connection text NOT NULL,
      fingerprint text NOT NULL,
      tested jsonb,
      used jsonb,
      CONSTRAINT connection_health_pk PRIMARY KEY (organization_id, connection)
    )`;
}
