import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Addresses whose content is a document of a knowledge base, and the address of each such document. */
export class AddSources1796530000000 implements MigrationInterface {
  readonly name = 'AddSources1796530000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE kb_sources (
        id uuid CONSTRAINT kb_sources_pk PRIMARY KEY,
        organization_id uuid NOT NULL,
        knowledge_base_id uuid NOT NULL
          CONSTRAINT kb_sources_knowledge_base_fk REFERENCES knowledge_bases (id) ON DELETE CASCADE,
        url text NOT NULL,
        kind text NOT NULL,
        refresh text NOT NULL,
        language text,
        document_id uuid CONSTRAINT kb_sources_document_fk REFERENCES kb_documents (id) ON DELETE SET NULL,
        status text NOT NULL,
        error text,
        error_code text,
        failures integer NOT NULL DEFAULT 0,
        etag text,
        last_modified text,
        claim uuid,
        claimed_until timestamptz,
        checked_at timestamptz,
        fetched_at timestamptz,
        next_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT kb_sources_url_uq UNIQUE (knowledge_base_id, url),
        CONSTRAINT kb_sources_kind_ck CHECK (kind IN ('page', 'video')),
        CONSTRAINT kb_sources_refresh_ck CHECK (refresh IN ('manual', 'daily', 'weekly')),
        CONSTRAINT kb_sources_status_ck CHECK (status IN ('pending', 'fetching', 'fetched', 'failed'))
      )`);
    await queryRunner.query('CREATE INDEX kb_sources_document_idx ON kb_sources (document_id)');
    await queryRunner.query('CREATE INDEX kb_sources_due_idx ON kb_sources (next_at) WHERE next_at IS NOT NULL');
    await queryRunner.query(
      `CREATE INDEX kb_sources_unfinished_idx ON kb_sources (id) WHERE status IN ('pending', 'fetching')`,
    );
    await queryRunner.query('ALTER TABLE kb_documents ADD COLUMN source_url text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE kb_documents DROP COLUMN source_url');
    await queryRunner.query('DROP TABLE kb_sources');
  }
}
