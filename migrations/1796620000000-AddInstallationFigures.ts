import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sizes and queues of the installation, measured by one process for all. */
export class AddInstallationFigures1796620000000 implements MigrationInterface {
  readonly name = 'AddInstallationFigures1796620000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE installation_figures (
        name text CONSTRAINT installation_figures_pk PRIMARY KEY,
        claimed_at timestamptz NOT NULL,
        measured_at timestamptz,
        figures jsonb
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE installation_figures');
  }
}
