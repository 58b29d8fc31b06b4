import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The second code of a launch lies in the row of the first, so that the use of one ends both. */
export class PairLaunchCodes1796869100000 implements MigrationInterface {
  readonly name = 'PairLaunchCodes1796869100000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE lti_handovers ADD COLUMN spare_hash text');
    await queryRunner.query('CREATE UNIQUE INDEX lti_handovers_spare_idx ON lti_handovers (spare_hash)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE lti_handovers DROP COLUMN spare_hash');
  }
}
