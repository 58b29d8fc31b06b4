import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lists and counts of an organization's assistants read indexes, not every row. */
export class IndexVisibleAssistants1796006000002 implements MigrationInterface {
  readonly name = 'IndexVisibleAssistants1796006000002';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX assistants_organization_idx');
    await queryRunner.query(
      'CREATE INDEX assistants_organization_idx ON assistants (organization_id, id) WHERE deleted_at IS NULL',
    );
    await queryRunner.query(
      'CREATE INDEX assistants_published_idx ON assistants (organization_id, id) WHERE published AND deleted_at IS NULL',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX assistants_published_idx');
    await queryRunner.query('DROP INDEX assistants_organization_idx');
    await queryRunner.query('CREATE INDEX assistants_organization_idx ON assistants (organization_id, id)');
  }
}
