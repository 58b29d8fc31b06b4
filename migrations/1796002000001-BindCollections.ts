import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores the knowledge base that each collection name means: the one that has the slug now. Other names stay external. */
export class BindCollections1796002000001 implements MigrationInterface {
  readonly name = 'BindCollections1796002000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE assistants ADD COLUMN collection_ids jsonb');
    // A slug that the text merely contains does no harm: only names of collections are looked up.
    await queryRunner.query(`
      UPDATE assistants AS assistant
      SET collection_ids = (
        SELECT coalesce(jsonb_object_agg(kb.slug, kb.id), '{}')
        FROM knowledge_bases kb
        WHERE kb.organization_id = assistant.organization_id AND kb.deleted_at IS NULL
          AND strpos(assistant.metadata || ' ' || assistant.rag_collections, kb.slug) > 0)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE assistants DROP COLUMN collection_ids');
  }
}
