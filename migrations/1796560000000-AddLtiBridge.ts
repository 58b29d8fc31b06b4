import type { MigrationInterface, QueryRunner } from 'typeorm';

/** LTI 1.1 for one term: the bridge of an organization, its consumer keys, used nonces, and people of other installations. */
export class AddLtiBridge1796560000000 implements MigrationInterface {
  readonly name = 'AddLtiBridge1796560000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE lti_bridges (
        id uuid CONSTRAINT lti_bridges_pk PRIMARY KEY
          CONSTRAINT lti_bridges_platform_fk REFERENCES lti_platforms (id) ON DELETE CASCADE,
        organization_id uuid NOT NULL CONSTRAINT lti_bridges_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
        enabled boolean NOT NULL DEFAULT false,
        until date,
        assistant_secret text,
        continued_by uuid[] NOT NULL DEFAULT '{}',
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT lti_bridges_organization_uq UNIQUE (organization_id),
        CONSTRAINT lti_bridges_until_ck CHECK (until IS NOT NULL OR NOT enabled)
      )`);
    await queryRunner.query(`
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
        CONSTRAINT lti_bridge_keys_kind_ck CHECK (kind IN ('assistant', 'activity', 'creator')),
        CONSTRAINT lti_bridge_keys_assistant_ck CHECK ((kind = 'assistant') = (assistant_id IS NOT NULL))
      )`);
    await queryRunner.query('CREATE INDEX lti_bridge_keys_consumer_idx ON lti_bridge_keys (consumer_key, kind)');
    await queryRunner.query('CREATE INDEX lti_bridge_keys_organization_idx ON lti_bridge_keys (organization_id)');
    await queryRunner.query(`
      CREATE TABLE lti_nonces (
        hash text CONSTRAINT lti_nonces_pk PRIMARY KEY,
        expires_at timestamptz NOT NULL
      )`);
    await queryRunner.query('CREATE INDEX lti_nonces_expires_idx ON lti_nonces (expires_at)');
    await queryRunner.query(`
      CREATE TABLE lti_legacy_people (
        id uuid CONSTRAINT lti_legacy_people_pk PRIMARY KEY,
        organization_id uuid NOT NULL,
        door text NOT NULL,
        legacy_user_id text NOT NULL,
        email text,
        user_id uuid NOT NULL,
        CONSTRAINT lti_legacy_people_user_uq UNIQUE (organization_id, door, legacy_user_id),
        CONSTRAINT lti_legacy_people_door_ck CHECK (door IN ('activity', 'creator')),
        CONSTRAINT lti_legacy_people_member_fk
          FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE
      )`);
    await queryRunner.query(
      'CREATE INDEX lti_legacy_people_member_idx ON lti_legacy_people (organization_id, user_id)',
    );
    await queryRunner.query('ALTER TABLE lti_handovers ALTER COLUMN assistant_ids DROP NOT NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DELETE FROM lti_handovers WHERE assistant_ids IS NULL');
    await queryRunner.query('ALTER TABLE lti_handovers ALTER COLUMN assistant_ids SET NOT NULL');
    await queryRunner.query('DROP TABLE lti_legacy_people, lti_nonces, lti_bridge_keys, lti_bridges');
    // Held the courses and activities of LTI 1.1.
    await queryRunner.query(`DELETE FROM lti_platforms WHERE issuer = 'urn:bellwether:lti-1.1'`);
  }
}
