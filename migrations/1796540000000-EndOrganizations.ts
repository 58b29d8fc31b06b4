import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Organizations that end: the time after which they are erased, and the state of their erasure. */
export class EndOrganizations1796540000000 implements MigrationInterface {
  readonly name = 'EndOrganizations1796540000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE organizations ADD COLUMN erase_after timestamptz, ADD COLUMN ending jsonb');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE organizations DROP COLUMN erase_after, DROP COLUMN ending');
  }
}
