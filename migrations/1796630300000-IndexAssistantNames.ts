import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES = {
  assistants_name_idx: 'assistants (organization_id, name) WHERE deleted_at IS NULL',
  assistant_versions_name_idx: 'assistant_versions (organization_id, name)',
};

/** A completion may find its assistant by name. Built without blocking writes, as in `IndexLists`. */
export class IndexAssistantNames1796630300000 implements MigrationInterface {
  readonly name = 'IndexAssistantNames1796630300000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [name, definition] of Object.entries(INDEXES)) {
      await queryRunner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
      await queryRunner.query(`CREATE INDEX CONCURRENTLY ${name} ON ${definition}`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await queryRunner.query(`DROP INDEX ${name}`);
  }
}
