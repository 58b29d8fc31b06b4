import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Ended runs become lines of sealed, compressed segments. Rows of earlier releases keep their columns. */
export class RunSegments1700000000021 implements MigrationInterface {
  readonly name = 'RunSegments1700000000021';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE run_segments (
        id uuid CONSTRAINT run_segments_pk PRIMARY KEY,
        organization_id uuid NOT NULL CONSTRAINT run_segments_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
        caller_organization_id uuid,
        body bytea,
        count integer NOT NULL,
        chain uuid NOT NULL,
        number integer NOT NULL,
        root text NOT NULL,
        previous_root text,
        signature text,
        key_id text,
        sealed_at timestamptz NOT NULL
      )`);
    // The bytes are compressed already.
    await queryRunner.query('ALTER TABLE run_segments ALTER COLUMN body SET STORAGE EXTERNAL');
    await queryRunner.query('CREATE INDEX run_segments_organization_idx ON run_segments (organization_id, id)');
    await queryRunner.query('ALTER TABLE runs ADD COLUMN segment_id uuid, ADD COLUMN segment_position integer');
  }

  /** Runs of the meantime lose their contents: they are in no other place. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE runs DROP COLUMN segment_position, DROP COLUMN segment_id');
    await queryRunner.query('DROP TABLE run_segments');
  }
}
