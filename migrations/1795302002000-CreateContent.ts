import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Files, rubrics and knowledge bases. Bytes live in the data directory; rows hold what is searched and listed.
 *
 * `kb_chunks`, `kb_terms` and `kb_postings` are the search index. Postings carry no foreign keys: a chunk leaves only
 * through the repository that takes its postings and document frequencies along, and `kb_chunks` refuses the deletion of a
 * document that still has chunks, so a forgotten step fails instead of leaving the figures wrong. Chunks of a document are
 * written in several short transactions under a generation; the one that the document names is the one that answers.
 */
export class CreateContent1795302002000 implements MigrationInterface {
  readonly name = 'CreateContent1795302002000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE files (
        id uuid CONSTRAINT files_pk PRIMARY KEY,
        organization_id uuid NOT NULL CONSTRAINT files_organization_fk REFERENCES organizations (id),
        owner_id uuid NOT NULL CONSTRAINT files_owner_fk REFERENCES users (id),
        name text NOT NULL,
        content_type text NOT NULL,
        size integer NOT NULL,
        sha256 text NOT NULL,
        storage_name text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT files_name_uq UNIQUE (organization_id, owner_id, name)
      )`);
    await queryRunner.query(`
      CREATE TABLE rubrics (
        id uuid CONSTRAINT rubrics_pk PRIMARY KEY,
        organization_id uuid NOT NULL CONSTRAINT rubrics_organization_fk REFERENCES organizations (id),
        owner_id uuid NOT NULL CONSTRAINT rubrics_owner_fk REFERENCES users (id),
        rubric_key text NOT NULL,
        origin_id integer,
        title text NOT NULL,
        visibility text NOT NULL DEFAULT 'private',
        document json NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT rubrics_origin_uq UNIQUE (organization_id, origin_id),
        CONSTRAINT rubrics_visibility_ck CHECK (visibility IN ('private', 'organization'))
      )`);
    await queryRunner.query(`CREATE INDEX rubrics_owner_idx ON rubrics (organization_id, owner_id)`);
    await queryRunner.query(`CREATE INDEX rubrics_key_idx ON rubrics (organization_id, rubric_key)`);
    await queryRunner.query(`
      CREATE TABLE knowledge_bases (
        id uuid CONSTRAINT knowledge_bases_pk PRIMARY KEY,
        organization_id uuid NOT NULL CONSTRAINT knowledge_bases_organization_fk REFERENCES organizations (id),
        owner_id uuid NOT NULL CONSTRAINT knowledge_bases_owner_fk REFERENCES users (id),
        slug text NOT NULL,
        name text NOT NULL,
        description text NOT NULL DEFAULT '',
        language text,
        visibility text NOT NULL DEFAULT 'private',
        chunk_size integer NOT NULL,
        chunk_overlap integer NOT NULL,
        chunk_count integer NOT NULL DEFAULT 0,
        token_count bigint NOT NULL DEFAULT 0,
        deleted_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT knowledge_bases_slug_uq UNIQUE (organization_id, slug),
        CONSTRAINT knowledge_bases_visibility_ck CHECK (visibility IN ('private', 'organization'))
      )`);
    await queryRunner.query(`CREATE INDEX knowledge_bases_owner_idx ON knowledge_bases (organization_id, owner_id)`);
    await queryRunner.query(`
      CREATE TABLE knowledge_base_shares (
        knowledge_base_id uuid NOT NULL CONSTRAINT knowledge_base_shares_knowledge_base_fk REFERENCES knowledge_bases (id) ON DELETE CASCADE,
        user_id uuid NOT NULL CONSTRAINT knowledge_base_shares_user_fk REFERENCES users (id) ON DELETE CASCADE,
        organization_id uuid NOT NULL CONSTRAINT knowledge_base_shares_organization_fk REFERENCES organizations (id),
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT knowledge_base_shares_pk PRIMARY KEY (knowledge_base_id, user_id)
      )`);
    await queryRunner.query(`CREATE INDEX knowledge_base_shares_user_idx ON knowledge_base_shares (user_id)`);
    await queryRunner.query(`
      CREATE TABLE kb_documents (
        id uuid CONSTRAINT kb_documents_pk PRIMARY KEY,
        organization_id uuid NOT NULL CONSTRAINT kb_documents_organization_fk REFERENCES organizations (id),
        knowledge_base_id uuid NOT NULL CONSTRAINT kb_documents_knowledge_base_fk REFERENCES knowledge_bases (id),
        filename text NOT NULL,
        title text,
        content_type text NOT NULL,
        size integer NOT NULL,
        sha256 text NOT NULL,
        storage_name text NOT NULL,
        status text NOT NULL,
        error text,
        attempts integer NOT NULL DEFAULT 0,
        generation uuid,
        chunk_count integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT kb_documents_filename_uq UNIQUE (knowledge_base_id, filename),
        CONSTRAINT kb_documents_status_ck CHECK (status IN ('pending', 'processing', 'completed', 'failed'))
      )`);
    await queryRunner.query(`CREATE INDEX kb_documents_status_idx ON kb_documents (knowledge_base_id, status)`);
    await queryRunner.query(`
      CREATE TABLE kb_chunks (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT kb_chunks_pk PRIMARY KEY,
        organization_id uuid NOT NULL CONSTRAINT kb_chunks_organization_fk REFERENCES organizations (id),
        knowledge_base_id uuid NOT NULL CONSTRAINT kb_chunks_knowledge_base_fk REFERENCES knowledge_bases (id),
        document_id uuid NOT NULL CONSTRAINT kb_chunks_document_fk REFERENCES kb_documents (id),
        generation uuid NOT NULL,
        ordinal integer NOT NULL,
        start_offset integer NOT NULL,
        end_offset integer NOT NULL,
        section text NOT NULL,
        page integer,
        text text NOT NULL,
        terms tsvector NOT NULL,
        length integer NOT NULL,
        CONSTRAINT kb_chunks_ordinal_uq UNIQUE (document_id, generation, ordinal)
      )`);
    await queryRunner.query(`CREATE INDEX kb_chunks_knowledge_base_idx ON kb_chunks (knowledge_base_id)`);
    await queryRunner.query(`
      CREATE TABLE kb_terms (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT kb_terms_pk PRIMARY KEY,
        knowledge_base_id uuid NOT NULL CONSTRAINT kb_terms_knowledge_base_fk REFERENCES knowledge_bases (id),
        term text NOT NULL,
        df integer NOT NULL,
        CONSTRAINT kb_terms_term_uq UNIQUE (knowledge_base_id, term)
      )`);
    await queryRunner.query(`
      CREATE TABLE kb_postings (
        chunk_id bigint NOT NULL,
        term_id integer NOT NULL,
        tf smallint NOT NULL,
        length smallint NOT NULL,
        CONSTRAINT kb_postings_pk PRIMARY KEY (term_id, chunk_id) INCLUDE (tf, length)
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of [
      'kb_postings',
      'kb_terms',
      'kb_chunks',
      'kb_documents',
      'knowledge_base_shares',
      'knowledge_bases',
      'rubrics',
      'files',
    ]) {
      await queryRunner.query(`DROP TABLE ${table}`);
    }
  }
}
