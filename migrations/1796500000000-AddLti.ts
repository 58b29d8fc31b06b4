import type { MigrationInterface, QueryRunner } from 'typeorm';

/** LTI 1.3: signing keys, platforms of organizations, launches under way, people, courses and their activities. */
export class AddLti1796500000000 implements MigrationInterface {
  readonly name = 'AddLti1796500000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE lti_keys (
        kid text CONSTRAINT lti_keys_pk PRIMARY KEY,
        public_jwk jsonb NOT NULL,
        private_jwk text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await queryRunner.query(`
      CREATE TABLE lti_platforms (
        id uuid CONSTRAINT lti_platforms_pk PRIMARY KEY,
        organization_id uuid NOT NULL CONSTRAINT lti_platforms_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
        name text NOT NULL,
        issuer text NOT NULL,
        client_id text NOT NULL,
        authorization_endpoint text NOT NULL,
        token_endpoint text NOT NULL,
        token_audience text,
        jwks_uri text NOT NULL,
        deployment_ids text[] NOT NULL DEFAULT '{}',
        instructor_role text NOT NULL DEFAULT 'member',
        match jsonb NOT NULL DEFAULT '{"by":"none"}',
        active boolean NOT NULL DEFAULT true,
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT lti_platforms_client_uq UNIQUE (issuer, client_id),
        CONSTRAINT lti_platforms_instructor_role_ck CHECK (instructor_role IN ('member', 'teacher'))
      )`);
    await queryRunner.query('CREATE INDEX lti_platforms_organization_idx ON lti_platforms (organization_id)');
    await queryRunner.query(`
      CREATE TABLE lti_attempts (
        hash text CONSTRAINT lti_attempts_pk PRIMARY KEY,
        browser_hash text NOT NULL,
        nonce_hash text NOT NULL,
        platform_id uuid NOT NULL CONSTRAINT lti_attempts_platform_fk REFERENCES lti_platforms (id) ON DELETE CASCADE,
        address text NOT NULL,
        storage_target text,
        login jsonb NOT NULL,
        expires_at timestamptz NOT NULL
      )`);
    await queryRunner.query('CREATE INDEX lti_attempts_expires_idx ON lti_attempts (expires_at)');
    await queryRunner.query('CREATE INDEX lti_attempts_address_idx ON lti_attempts (address, expires_at)');
    await queryRunner.query(`
      CREATE TABLE lti_identities (
        platform_id uuid NOT NULL CONSTRAINT lti_identities_platform_fk REFERENCES lti_platforms (id) ON DELETE CASCADE,
        subject text NOT NULL,
        organization_id uuid NOT NULL,
        user_id uuid NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_launch_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT lti_identities_pk PRIMARY KEY (platform_id, subject),
        CONSTRAINT lti_identities_member_fk
          FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE
      )`);
    await queryRunner.query('CREATE INDEX lti_identities_user_idx ON lti_identities (organization_id, user_id)');
    await queryRunner.query(`
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
      )`);
    await queryRunner.query('CREATE INDEX lti_courses_organization_idx ON lti_courses (organization_id)');
    await queryRunner.query(`
      CREATE TABLE lti_course_people (
        course_id uuid NOT NULL CONSTRAINT lti_course_people_course_fk REFERENCES lti_courses (id) ON DELETE CASCADE,
        user_id uuid NOT NULL,
        organization_id uuid NOT NULL,
        instructor boolean NOT NULL,
        last_launch_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT lti_course_people_pk PRIMARY KEY (course_id, user_id),
        CONSTRAINT lti_course_people_member_fk
          FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE
      )`);
    await queryRunner.query('CREATE INDEX lti_course_people_user_idx ON lti_course_people (organization_id, user_id)');
    await queryRunner.query(`
      CREATE TABLE lti_activities (
        id uuid CONSTRAINT lti_activities_pk PRIMARY KEY,
        organization_id uuid NOT NULL,
        platform_id uuid NOT NULL CONSTRAINT lti_activities_platform_fk REFERENCES lti_platforms (id) ON DELETE CASCADE,
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
      )`);
    await queryRunner.query('CREATE INDEX lti_activities_course_idx ON lti_activities (course_id)');
    await queryRunner.query('CREATE INDEX lti_activities_organization_idx ON lti_activities (organization_id)');
    await queryRunner.query('CREATE INDEX lti_activities_assistants_idx ON lti_activities USING gin (assistant_ids)');
    await queryRunner.query(`
      CREATE TABLE lti_handovers (
        hash text CONSTRAINT lti_handovers_pk PRIMARY KEY,
        organization_id uuid NOT NULL,
        user_id uuid NOT NULL,
        assistant_ids integer[] NOT NULL,
        target text NOT NULL,
        browser_hash text,
        expires_at timestamptz NOT NULL,
        CONSTRAINT lti_handovers_member_fk
          FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE
      )`);
    await queryRunner.query('CREATE INDEX lti_handovers_expires_idx ON lti_handovers (expires_at)');
    await queryRunner.query('ALTER TABLE sessions ADD COLUMN assistant_ids integer[]');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE sessions DROP COLUMN assistant_ids');
    await queryRunner.query(
      'DROP TABLE lti_handovers, lti_activities, lti_course_people, lti_courses, lti_identities, lti_attempts, lti_platforms, lti_keys',
    );
  }
}
