import { Baseline } from './baseline';

/** API keys, sessions, single sign-on and credentials of directories. */
export class BaselineAuth1700000000003 extends Baseline {
  readonly name = 'BaselineAuth1700000000003';
  protected readonly schema = `
    CREATE TABLE api_keys (
      id uuid CONSTRAINT api_keys_pk PRIMARY KEY,
      organization_id uuid NOT NULL,
      user_id uuid NOT NULL,
      name text NOT NULL,
      public_id text CONSTRAINT api_keys_public_id_key UNIQUE,
      hash text NOT NULL CONSTRAINT api_keys_hash_key UNIQUE,
      scopes text[] NOT NULL,
      assistant_ids integer[],
      expires_at timestamptz,
      last_used_at timestamptz,
      revoked_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      published_only boolean NOT NULL DEFAULT false,
      CONSTRAINT api_keys_member_fk
        FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE
    );
    CREATE INDEX api_keys_member_idx ON api_keys (organization_id, user_id);

    CREATE TABLE sessions (
      id uuid CONSTRAINT sessions_pk PRIMARY KEY,
      organization_id uuid NOT NULL,
      user_id uuid NOT NULL,
      api_key_id uuid CONSTRAINT sessions_api_key_fk REFERENCES api_keys (id) ON DELETE CASCADE,
      hash text NOT NULL CONSTRAINT sessions_hash_key UNIQUE,
      role text NOT NULL,
      scopes text[] NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      last_seen_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      issuer_key text,
      issuer text,
      subject text,
      provider_session text,
      id_token text,
      provider_issued_at timestamptz,
      assistant_ids integer[],
      activity_ids uuid[],
      by_password boolean NOT NULL DEFAULT false,
      CONSTRAINT sessions_member_fk
        FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE
    );
    CREATE INDEX sessions_expires_idx ON sessions (expires_at);
    CREATE INDEX sessions_member_idx ON sessions (organization_id, user_id);
    CREATE INDEX sessions_subject_idx ON sessions (issuer, subject) WHERE issuer IS NOT NULL;

    CREATE TABLE sign_in_links (
      id uuid CONSTRAINT sign_in_links_pk PRIMARY KEY,
      organization_id uuid NOT NULL,
      user_id uuid NOT NULL,
      hash text NOT NULL CONSTRAINT sign_in_links_hash_key UNIQUE,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      needs_local_sign_in boolean NOT NULL DEFAULT false,
      made_by uuid,
      CONSTRAINT sign_in_links_member_fk
        FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE
    );

    CREATE TABLE oidc_issuers (
      id uuid CONSTRAINT oidc_issuers_pk PRIMARY KEY,
      organization_id uuid NOT NULL
        CONSTRAINT oidc_issuers_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      key text NOT NULL CONSTRAINT oidc_issuers_key_key UNIQUE,
      name text NOT NULL,
      url text NOT NULL,
      client_id text NOT NULL,
      client_secret text,
      logo text,
      enabled boolean NOT NULL DEFAULT true,
      listed boolean NOT NULL DEFAULT true,
      for_all boolean NOT NULL DEFAULT false,
      settings jsonb NOT NULL DEFAULT '{}',
      version integer NOT NULL DEFAULT 1,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX oidc_issuers_organization_idx ON oidc_issuers (organization_id);
    CREATE INDEX oidc_issuers_url_idx ON oidc_issuers (url);

    -- A link between a subject and a person counts only where the rules that made it apply (authority).
    CREATE TABLE oidc_identities (
      issuer text NOT NULL,
      subject text NOT NULL,
      user_id uuid NOT NULL CONSTRAINT oidc_identities_user_fk REFERENCES users (id) ON DELETE CASCADE,
      organization_id uuid NOT NULL
        CONSTRAINT oidc_identities_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      issuer_key text NOT NULL,
      email text,
      groups text[] NOT NULL DEFAULT '{}',
      claims jsonb NOT NULL DEFAULT '{}',
      claims_at timestamptz NOT NULL DEFAULT now(),
      created_at timestamptz NOT NULL DEFAULT now(),
      authority text NOT NULL,
      external_id text,
      CONSTRAINT oidc_identities_pk PRIMARY KEY (issuer, subject, authority)
    );
    CREATE INDEX oidc_identities_external_idx ON oidc_identities (organization_id, external_id);
    CREATE INDEX oidc_identities_organization_idx ON oidc_identities (organization_id, issuer_key, subject);
    CREATE INDEX oidc_identities_user_idx ON oidc_identities (user_id);

    CREATE TABLE oidc_attempts (
      hash text CONSTRAINT oidc_attempts_pk PRIMARY KEY,
      browser_hash text NOT NULL,
      issuer_key text NOT NULL,
      return_to text NOT NULL,
      trial boolean NOT NULL DEFAULT false,
      expires_at timestamptz NOT NULL,
      address text NOT NULL DEFAULT '',
      link_organization_id uuid,
      link_user_id uuid
    );
    CREATE INDEX oidc_attempts_address_idx ON oidc_attempts (address, expires_at);
    CREATE INDEX oidc_attempts_expires_idx ON oidc_attempts (expires_at);

    -- Passwords of another installation, each for one sign-in.
    CREATE TABLE imported_passwords (
      organization_id uuid NOT NULL,
      user_id uuid NOT NULL,
      hash text NOT NULL,
      failures integer NOT NULL DEFAULT 0,
      blocked_until timestamptz,
      expires_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT imported_passwords_pk PRIMARY KEY (organization_id, user_id),
      CONSTRAINT imported_passwords_member_fk
        FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE
    );
    CREATE INDEX imported_passwords_user_idx ON imported_passwords (user_id);

    CREATE TABLE scim_tokens (
      id uuid CONSTRAINT scim_tokens_pk PRIMARY KEY,
      organization_id uuid NOT NULL
        CONSTRAINT scim_tokens_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      name text NOT NULL,
      hash text NOT NULL CONSTRAINT scim_tokens_hash_uq UNIQUE,
      link_existing boolean NOT NULL DEFAULT false,
      created_by uuid NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      last_used_at timestamptz
    );
    CREATE INDEX scim_tokens_organization_idx ON scim_tokens (organization_id)`;
}
