import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The last outcomes of the vendors and servers of each organization. */
export class AddConnectionHealth1796440000000 implements MigrationInterface {
  readonly name = 'AddConnectionHealth1796440000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE connection_health (
        organization_id uuid NOT NULL
          CONSTRAINT connection_health_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
        connection text NOT NULL,
        fingerprint text NOT NULL,
        tested jsonb,
        used jsonb,
        CONSTRAINT connection_health_pk PRIMARY KEY (organization_id, connection)
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE connection_health');
  }
}
