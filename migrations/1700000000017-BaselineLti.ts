import { Baseline } from './baseline';

/** Platforms of organizations, launches, people, courses and their activities. */
export class BaselineLti1700000000017 extends Baseline {
  readonly name = 'BaselineLti1700000000017';
  protected readonly schema = `
    -- An issuer and a client id are public, so another organization may enter them first. They are unique within an
    -- organization only; proven_at tells the platform that launched first.
    CREATE TABLE lti_platforms (
      id uuid CONSTRAINT lti_platforms_pk PRIMARY KEY,
      organization_id uuid NOT NULL
        CONSTRAINT lti_platforms_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      name text NOT NULL,
      issuer text NOT NULL,
      client_id text NOT NULL,
      authorization_endpoint text NOT NULL,
      token_endpoint text NOT NULL,
      token_audience text,
      jwks_uri text NOT NULL,
      deployment_ids text[] NOT NULL DEFAULT '{}',
      instructor_role text NOT NULL DEFAULT 'member',
      match jsonb NOT NULL DEFAULT '{"by": "none"}',
      active boolean NOT NULL DEFAULT true,
      version integer NOT NULL DEFAULT 1,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      awaits_approval boolean NOT NULL DEFAULT false,
      proven_at timestamptz,
      CONSTRAINT lti_platforms_client_uq UNIQUE (organization_id, issuer, client_id),
      CONSTRAINT lti_platforms_instructor_role_ck CHECK (instructor_role IN ('member', 'teacher'))
    );
    CREATE INDEX lti_platforms_issuer_idx ON lti_platforms (issuer, client_id);
    CREATE INDEX lti_platforms_organization_idx ON lti_platforms (organization_id);

    -- Platforms that register themselves, by an address that an administrator gave, and wait for an approval.
    CREATE TABLE lti_registrations (
      hash text CONSTRAINT lti_registrations_pk PRIMARY KEY,
      organization_id uuid NOT NULL
        CONSTRAINT lti_registrations_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      created_by uuid NOT NULL,
      expires_at timestamptz NOT NULL,
      claimed_at timestamptz
    );
    CREATE INDEX lti_registrations_organization_idx ON lti_registrations (organization_id);

    CREATE TABLE lti_keys (
      kid text CONSTRAINT lti_keys_pk PRIMARY KEY,
      public_jwk jsonb NOT NULL,
      private_jwk text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    );

    CREATE TABLE lti_attempts (
      hash text CONSTRAINT lti_attempts_pk PRIMARY KEY,
      browser_hash text NOT NULL,
      nonce_hash text NOT NULL,
      platform_id uuid NOT NULL CONSTRAINT lti_attempts_platform_fk REFERENCES lti_platforms (id) ON DELETE CASCADE,
      address text NOT NULL,
      storage_target text,
      login jsonb NOT NULL,
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX lti_attempts_address_idx ON lti_attempts (address, expires_at);
    CREATE INDEX lti_attempts_expires_idx ON lti_attempts (expires_at);

    CREATE TABLE lti_nonces (
      hash text CONSTRAINT lti_nonces_pk PRIMARY KEY,
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX lti_nonces_expires_idx ON lti_nonces (expires_at);

    -- The second code of a launch lies in the row of the first, so that the use of one ends both.
    CREATE TABLE lti_handovers (
      hash text CONSTRAINT lti_handovers_pk PRIMARY KEY,
      organization_id uuid NOT NULL,
      user_id uuid NOT NULL,
      assistant_ids integer[],
      target text NOT NULL,
      browser_hash text,
      expires_at timestamptz NOT NULL,
      activity_id uuid,
      spare_hash text,
      CONSTRAINT lti_handovers_member_fk
        FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE
    );
    CREATE INDEX lti_handovers_expires_idx ON lti_handovers (expires_at);
    CREATE UNIQUE INDEX lti_handovers_spare_idx ON lti_handovers (spare_hash);

    CREATE TABLE lti_identities (
      platform_id uuid NOT NULL
        CONSTRAINT lti_identities_platform_fk REFERENCES lti_platforms (id) ON DELETE CASCADE,
      subject text NOT NULL,
      organization_id uuid NOT NULL,
      user_id uuid NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      last_launch_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT lti_identities_pk PRIMARY KEY (platform_id, subject),
      CONSTRAINT lti_identities_member_fk
        FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE
    );
    CREATE INDEX lti_identities_user_idx ON lti_identities (organization_id, user_id);

    CREATE TABLE lti_courses (
      id uuid CONSTRAINT lti_courses_pk PRIMARY KEY,
      organization_id uuid NOT NULL,
      platform_id uuid NOT NULL CONSTRAINT lti_courses_platform_fk REFERENCES lti_platforms (id) ON DELETE CASCADE,
      deployment_id text NOT NULL,
      context_id text NOT NULL,
      title text NOT NULL,
      group_id uuid CONSTRAINT lti_courses_group_fk REFERENCES groups (id) ON DELETE SET NULL,
      roster_url text,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT lti_courses_context_uq UNIQUE (platform_id, deployment_id, context_id)
    );
    CREATE INDEX lti_courses_organization_idx ON lti_courses (organization_id);

    CREATE TABLE lti_course_people (
      course_id uuid NOT NULL CONSTRAINT lti_course_people_course_fk REFERENCES lti_courses (id) ON DELETE CASCADE,
      user_id uuid NOT NULL,
      organization_id uuid NOT NULL,
      instructor boolean NOT NULL,
      last_launch_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT lti_course_people_pk PRIMARY KEY (course_id, user_id),
      CONSTRAINT lti_course_people_member_fk
        FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE
    );
    CREATE INDEX lti_course_people_user_idx ON lti_course_people (organization_id, user_id);

    CREATE TABLE lti_activities (
      id uuid CONSTRAINT lti_activities_pk PRIMARY KEY,
      organization_id uuid NOT NULL,
      platform_id uuid NOT NULL
        CONSTRAINT lti_activities_platform_fk REFERENCES lti_platforms (id) ON DELETE CASCADE,
      course_id uuid CONSTRAINT lti_activities_course_fk REFERENCES lti_courses (id) ON DELETE CASCADE,
      deployment_id text NOT NULL,
      resource_link_id text NOT NULL,
      title text NOT NULL,
      assistant_ids integer[] NOT NULL DEFAULT '{}',
      linked_assistants text,
      settings jsonb NOT NULL DEFAULT '{}',
      line_items_url text,
      line_item_url text,
      score_scopes text[] NOT NULL DEFAULT '{}',
      frame_origin text,
      version integer NOT NULL DEFAULT 1,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT lti_activities_link_uq UNIQUE (platform_id, deployment_id, resource_link_id)
    );
    CREATE INDEX lti_activities_assistants_idx ON lti_activities USING gin (assistant_ids);
    CREATE INDEX lti_activities_course_idx ON lti_activities (course_id);
    CREATE INDEX lti_activities_organization_idx ON lti_activities (organization_id);

    CREATE TABLE lti_activity_people (
      activity_id uuid NOT NULL
        CONSTRAINT lti_activity_people_activity_fk REFERENCES lti_activities (id) ON DELETE CASCADE,
      user_id uuid NOT NULL,
      organization_id uuid NOT NULL,
      instructor boolean NOT NULL,
      pseudonym text NOT NULL,
      agreed_at timestamptz,
      agreed_to text,
      last_launch_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT lti_activity_people_pk PRIMARY KEY (activity_id, user_id),
      CONSTRAINT lti_activity_people_member_fk
        FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE,
      CONSTRAINT lti_activity_people_agreed_to_ck CHECK (agreed_to IN ('named', 'pseudonymous'))
    );
    CREATE INDEX lti_activity_people_user_idx ON lti_activity_people (organization_id, user_id);

    -- Grades that teachers handed to learning platforms, refused ones included.
    CREATE TABLE lti_grades (
      id uuid CONSTRAINT lti_grades_pk PRIMARY KEY,
      organization_id uuid NOT NULL,
      activity_id uuid NOT NULL CONSTRAINT lti_grades_activity_fk REFERENCES lti_activities (id) ON DELETE CASCADE,
      subject text NOT NULL,
      user_id uuid,
      score double precision NOT NULL,
      maximum double precision NOT NULL,
      comment text NOT NULL DEFAULT '',
      state text NOT NULL,
      refusal text,
      graded_by uuid,
      created_at timestamptz NOT NULL DEFAULT now(),
      sent_at timestamptz,
      CONSTRAINT lti_grades_state_ck CHECK (state IN ('waiting', 'sent', 'refused'))
    );
    CREATE INDEX lti_grades_activity_idx ON lti_grades (activity_id, id);
    CREATE INDEX lti_grades_graded_by_idx ON lti_grades (organization_id, graded_by);
    CREATE INDEX lti_grades_user_idx ON lti_grades (organization_id, user_id);

    -- Deep-linking requests of platforms, until their authors have chosen.
    CREATE TABLE lti_selections (
      id uuid CONSTRAINT lti_selections_pk PRIMARY KEY,
      organization_id uuid NOT NULL,
      user_id uuid NOT NULL,
      platform_id uuid NOT NULL
        CONSTRAINT lti_selections_platform_fk REFERENCES lti_platforms (id) ON DELETE CASCADE,
      deployment_id text NOT NULL,
      course_title text NOT NULL,
      wanted jsonb NOT NULL,
      expires_at timestamptz NOT NULL,
      CONSTRAINT lti_selections_member_fk
        FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE
    );
    CREATE INDEX lti_selections_expires_idx ON lti_selections (expires_at);
    CREATE INDEX lti_selections_user_idx ON lti_selections (organization_id, user_id);

    -- LTI 1.1 for one term.
    CREATE TABLE lti_bridges (
      id uuid CONSTRAINT lti_bridges_pk PRIMARY KEY
        CONSTRAINT lti_bridges_platform_fk REFERENCES lti_platforms (id) ON DELETE CASCADE,
      organization_id uuid NOT NULL CONSTRAINT lti_bridges_organization_uq UNIQUE
        CONSTRAINT lti_bridges_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      enabled boolean NOT NULL DEFAULT false,
      until date,
      assistant_secret text,
      continued_by uuid[] NOT NULL DEFAULT '{}',
      version integer NOT NULL DEFAULT 1,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT lti_bridges_until_ck CHECK (until IS NOT NULL OR NOT enabled)
    );

    CREATE TABLE lti_bridge_keys (
      id uuid CONSTRAINT lti_bridge_keys_pk PRIMARY KEY,
      organization_id uuid NOT NULL,
      bridge_id uuid NOT NULL CONSTRAINT lti_bridge_keys_bridge_fk REFERENCES lti_bridges (id) ON DELETE CASCADE,
      kind text NOT NULL,
      consumer_key text NOT NULL,
      secret text,
      assistant_id integer,
      last_launch_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT lti_bridge_keys_key_uq UNIQUE (bridge_id, kind, consumer_key),
      CONSTRAINT lti_bridge_keys_assistant_ck CHECK ((kind = 'assistant') = (assistant_id IS NOT NULL)),
      CONSTRAINT lti_bridge_keys_kind_ck CHECK (kind IN ('assistant', 'activity', 'creator'))
    );
    CREATE INDEX lti_bridge_keys_consumer_idx ON lti_bridge_keys (consumer_key, kind);
    CREATE INDEX lti_bridge_keys_organization_idx ON lti_bridge_keys (organization_id);

    CREATE TABLE lti_legacy_people (
      id uuid CONSTRAINT lti_legacy_people_pk PRIMARY KEY,
      organization_id uuid NOT NULL,
      door text NOT NULL,
      legacy_user_id text NOT NULL,
      email text,
      user_id uuid NOT NULL,
      CONSTRAINT lti_legacy_people_user_uq UNIQUE (organization_id, door, legacy_user_id),
      CONSTRAINT lti_legacy_people_member_fk
        FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE,
      CONSTRAINT lti_legacy_people_door_ck CHECK (door IN ('activity', 'creator'))
    );
    CREATE INDEX lti_legacy_people_member_idx ON lti_legacy_people (organization_id, user_id);

    CREATE TABLE lti_legacy_activities (
      id uuid CONSTRAINT lti_legacy_activities_pk PRIMARY KEY,
      organization_id uuid NOT NULL,
      resource_link_id text NOT NULL,
      context_id text,
      title text NOT NULL,
      assistant_ids integer[] NOT NULL,
      teachers_read boolean NOT NULL,
      CONSTRAINT lti_legacy_activities_link_uq UNIQUE (organization_id, resource_link_id)
    );

    -- The chat is older than LTI: the activity that a conversation belongs to is known from here on.
    ALTER TABLE conversations
      ADD CONSTRAINT conversations_activity_fk
        FOREIGN KEY (activity_id) REFERENCES lti_activities (id) ON DELETE SET NULL`;
}
