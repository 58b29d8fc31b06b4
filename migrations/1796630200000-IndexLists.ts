import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Name, definition, and the definition in older releases. */
const INDEXES = [
  ['assistants_owner_idx', 'assistants (organization_id, owner_id, id)', 'assistants (organization_id, owner_id)'],
  ['assistants_type_idx', 'assistants (organization_id, type, id) WHERE deleted_at IS NULL', null],
  ['assistant_aliases_number_idx', 'assistant_aliases (organization_id, number)', null],
  ['runs_status_idx', `runs (organization_id, status, id) WHERE status <> 'completed'`, null],
  ['runs_rating_idx', 'runs (organization_id, rating, id) WHERE rating IS NOT NULL', null],
  [
    'runs_asked_elsewhere_idx',
    'runs (caller_organization_id, user_id, id) WHERE caller_organization_id IS NOT NULL AND parent_run_id IS NULL',
    'runs (caller_organization_id, user_id) WHERE caller_organization_id IS NOT NULL AND parent_run_id IS NULL',
  ],
] as const;

/**
 * Lists read a page from an index, in the order of ids. The indexes are built CONCURRENTLY, without blocking writes, as
 * `runs` may have millions of rows. That needs `transaction = false`; a half-built index is dropped and built again.
 */
export class IndexLists1796630200000 implements MigrationInterface {
  readonly name = 'IndexLists1796630200000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [name, wanted] of INDEXES) await replace(queryRunner, name, wanted);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [name, , before] of INDEXES) await replace(queryRunner, name, before);
  }
}

async function replace(queryRunner: QueryRunner, name: string, definition: string | null): Promise<void> {
  // TypeORM reverts every migration in a transaction, whatever `transaction` says.
  const how = queryRunner.isTransactionActive ? '' : 'CONCURRENTLY';
  await queryRunner.query(`DROP INDEX ${how} IF EXISTS ${name}`);
  if (definition !== null) await queryRunner.query(`CREATE INDEX ${how} ${name} ON ${definition}`);
}
