import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Requests to erase a person's data, with their state and report. Without personal data once they are done. */
export class AddErasures1796300000000 implements MigrationInterface {
  readonly name = 'AddErasures1796300000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE erasure_requests (
        id uuid CONSTRAINT erasure_requests_pk PRIMARY KEY,
        organization_id uuid NOT NULL
          CONSTRAINT erasure_requests_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
        subject_id uuid,
        heir_id uuid,
        requested_by uuid,
        unshared text NOT NULL CONSTRAINT erasure_requests_unshared_ck CHECK (unshared IN ('delete', 'hand_over')),
        state text NOT NULL DEFAULT 'queued'
          CONSTRAINT erasure_requests_state_ck CHECK (state IN ('queued', 'running', 'done')),
        counts jsonb NOT NULL DEFAULT '{}',
        handed_over jsonb NOT NULL DEFAULT '{}',
        report jsonb,
        failure text,
        deactivated_at timestamptz,
        lease_token uuid,
        lease_until timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        finished_at timestamptz
      )`);
    await queryRunner.query('CREATE INDEX erasure_requests_organization_idx ON erasure_requests (organization_id, id)');
    // A person is erased once at a time.
    await queryRunner.query(`
      CREATE UNIQUE INDEX erasure_requests_open_key ON erasure_requests (organization_id, subject_id)
      WHERE finished_at IS NULL`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE erasure_requests');
  }
}
