import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The numbers that imported assistants have at their source. */
export class NameImportedAssistants1796520000000 implements MigrationInterface {
  readonly name = 'NameImportedAssistants1796520000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE assistant_aliases (
        organization_id uuid NOT NULL,
        source text NOT NULL,
        number integer NOT NULL,
        assistant_id integer NOT NULL
          CONSTRAINT assistant_aliases_assistant_fk REFERENCES assistants (id) ON DELETE CASCADE,
        CONSTRAINT assistant_aliases_pk PRIMARY KEY (organization_id, source, number)
      )`);
    await queryRunner.query('CREATE INDEX assistant_aliases_assistant_idx ON assistant_aliases (assistant_id)');
    await queryRunner.query(`
      INSERT INTO assistant_aliases (organization_id, source, number, assistant_id)
      SELECT origins.organization_id, origins.source, origins.origin_id::integer, assistants.id
      FROM origins JOIN assistants
        ON assistants.id::text = origins.local_id AND assistants.organization_id = origins.organization_id
      WHERE origins.kind = 'assistant' AND origins.origin_id ~ '^[1-9][0-9]{0,8}$'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE assistant_aliases');
  }
}
