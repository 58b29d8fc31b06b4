import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Embedding of a knowledge base, and the cache of embeddings. The vectors themselves (`kb_vectors`) need an extension
 * that a server may lack; they are made at start where it is there, and go with this migration.
 */
export class AddEmbeddings1795370002000 implements MigrationInterface {
  readonly name = 'AddEmbeddings1795370002000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE knowledge_bases
        ADD COLUMN embedding jsonb,
        ADD COLUMN vector_index integer,
        ADD COLUMN vector_embedding jsonb,
        ADD COLUMN next_vector_index integer,
        ADD COLUMN index_error text,
        ADD COLUMN hybrid_weight double precision`);
    await queryRunner.query(`CREATE SEQUENCE kb_vector_indexes AS integer`);
    // A vector is looked up with the generation that it belongs to.
    await queryRunner.query(`CREATE INDEX kb_documents_generation_idx ON kb_documents (generation)`);
    // An index over vectors is built chunk after chunk of a knowledge base.
    await queryRunner.query(`CREATE INDEX kb_chunks_order_idx ON kb_chunks (knowledge_base_id, id)`);
    await queryRunner.query(`DROP INDEX kb_chunks_knowledge_base_idx`);
    await queryRunner.query(`
      CREATE TABLE kb_embedding_cache (
        organization_id uuid NOT NULL CONSTRAINT kb_embedding_cache_organization_fk REFERENCES organizations (id),
        knowledge_base_id uuid NOT NULL
          CONSTRAINT kb_embedding_cache_knowledge_base_fk REFERENCES knowledge_bases (id) ON DELETE CASCADE,
        provider text NOT NULL,
        model text NOT NULL,
        dimensions integer NOT NULL,
        hash bytea NOT NULL,
        vector bytea NOT NULL,
        used_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT kb_embedding_cache_pk PRIMARY KEY (organization_id, provider, model, dimensions, hash)
      )`);
    await queryRunner.query(
      `CREATE INDEX kb_embedding_cache_knowledge_base_idx ON kb_embedding_cache (knowledge_base_id)`,
    );
    await queryRunner.query(`CREATE INDEX kb_embedding_cache_age_idx ON kb_embedding_cache (organization_id, used_at)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE IF EXISTS kb_vectors`);
    await queryRunner.query(`DROP TABLE kb_embedding_cache`);
    await queryRunner.query(`CREATE INDEX kb_chunks_knowledge_base_idx ON kb_chunks (knowledge_base_id)`);
    await queryRunner.query(`DROP INDEX kb_chunks_order_idx`);
    await queryRunner.query(`DROP INDEX kb_documents_generation_idx`);
    await queryRunner.query(`DROP SEQUENCE kb_vector_indexes`);
    await queryRunner.query(`
      ALTER TABLE knowledge_bases
        DROP COLUMN embedding, DROP COLUMN vector_index, DROP COLUMN vector_embedding, DROP COLUMN next_vector_index,
        DROP COLUMN index_error, DROP COLUMN hybrid_weight`);
  }
}
