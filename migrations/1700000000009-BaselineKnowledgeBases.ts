import { Baseline } from './baseline';

/** Knowledge bases with their documents, sources, passages and search index (docs/adr/0007-keyword-index.md). */
export class BaselineKnowledgeBases1700000000009 extends Baseline {
  readonly name = 'BaselineKnowledgeBases1700000000009';
  protected readonly schema = `
    CREATE SEQUENCE kb_vector_indexes AS integer;

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
      embedding jsonb,
      vector_index integer,
      vector_embedding jsonb,
      next_vector_index integer,
      index_error text,
      hybrid_weight double precision,
      version integer NOT NULL DEFAULT 1,
      passages_shown boolean NOT NULL DEFAULT true,
      alias text,
      index_version integer NOT NULL DEFAULT 1,
      languages text[] NOT NULL DEFAULT '{}',
      language_chosen boolean NOT NULL DEFAULT true,
      rerank boolean NOT NULL DEFAULT false,
      CONSTRAINT knowledge_bases_alias_uq UNIQUE (organization_id, alias),
      CONSTRAINT knowledge_bases_slug_uq UNIQUE (organization_id, slug),
      CONSTRAINT knowledge_bases_visibility_ck CHECK (visibility IN ('private', 'organization'))
    );
    CREATE INDEX knowledge_bases_index_version_idx ON knowledge_bases (index_version);
    CREATE INDEX knowledge_bases_owner_idx ON knowledge_bases (organization_id, owner_id);

    CREATE TABLE knowledge_base_shares (
      knowledge_base_id uuid NOT NULL
        CONSTRAINT knowledge_base_shares_knowledge_base_fk REFERENCES knowledge_bases (id) ON DELETE CASCADE,
      user_id uuid NOT NULL CONSTRAINT knowledge_base_shares_user_fk REFERENCES users (id) ON DELETE CASCADE,
      organization_id uuid NOT NULL CONSTRAINT knowledge_base_shares_organization_fk REFERENCES organizations (id),
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT knowledge_base_shares_pk PRIMARY KEY (knowledge_base_id, user_id)
    );
    CREATE INDEX knowledge_base_shares_user_idx ON knowledge_base_shares (user_id);

    CREATE TABLE knowledge_base_group_shares (
      knowledge_base_id uuid NOT NULL
        CONSTRAINT knowledge_base_group_shares_knowledge_base_fk REFERENCES knowledge_bases (id) ON DELETE CASCADE,
      group_id uuid NOT NULL
        CONSTRAINT knowledge_base_group_shares_group_fk REFERENCES groups (id) ON DELETE CASCADE,
      organization_id uuid NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT knowledge_base_group_shares_pk PRIMARY KEY (knowledge_base_id, group_id)
    );
    CREATE INDEX knowledge_base_group_shares_group_idx ON knowledge_base_group_shares (group_id);

    CREATE TABLE external_collections (
      organization_id uuid NOT NULL
        CONSTRAINT external_collections_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      collection_id text NOT NULL,
      owner_id uuid NOT NULL CONSTRAINT external_collections_owner_fk REFERENCES users (id),
      name text NOT NULL,
      shared boolean NOT NULL DEFAULT false,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT external_collections_pk PRIMARY KEY (organization_id, collection_id)
    );

    -- Chunks of a document are written in several short transactions under a generation; the one that the document
    -- names is the one that answers.
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
      error_code text,
      claim uuid,
      claimed_until timestamptz,
      progress_current integer NOT NULL DEFAULT 0,
      progress_total integer NOT NULL DEFAULT 0,
      deleted_at timestamptz,
      warnings text[] NOT NULL DEFAULT '{}',
      answering jsonb,
      setback jsonb,
      unused_files text[] NOT NULL DEFAULT '{}',
      source_url text,
      language text,
      page_count integer,
      page_labels text[],
      lost_starts smallint NOT NULL DEFAULT 0,
      CONSTRAINT kb_documents_filename_uq UNIQUE (knowledge_base_id, filename),
      CONSTRAINT kb_documents_status_ck CHECK (status IN ('pending', 'processing', 'completed', 'failed'))
    );
    -- A vector is looked up with the generation that it belongs to.
    CREATE INDEX kb_documents_generation_idx ON kb_documents (generation);
    CREATE INDEX kb_documents_status_idx ON kb_documents (knowledge_base_id, status);
    CREATE INDEX kb_documents_unfinished_idx ON kb_documents (organization_id)
      WHERE status IN ('pending', 'processing') OR deleted_at IS NOT NULL;
    CREATE INDEX kb_documents_unused_files_idx ON kb_documents (id) WHERE unused_files <> '{}';

    -- Addresses whose content is a document.
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
    );
    CREATE INDEX kb_sources_document_idx ON kb_sources (document_id);
    CREATE INDEX kb_sources_due_idx ON kb_sources (next_at) WHERE next_at IS NOT NULL;
    CREATE INDEX kb_sources_unfinished_idx ON kb_sources (id) WHERE status IN ('pending', 'fetching');

    -- Refuses the deletion of a document that still has chunks: only the repository takes their postings and figures
    -- along.
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
      length integer NOT NULL,
      page_end integer,
      section_start integer NOT NULL,
      section_end integer NOT NULL,
      table_header text,
      CONSTRAINT kb_chunks_ordinal_uq UNIQUE (document_id, generation, ordinal)
    );
    -- An index over vectors is built chunk after chunk of a knowledge base.
    CREATE INDEX kb_chunks_order_idx ON kb_chunks (knowledge_base_id, id);

    -- The newest postings of a term lie in its own row; 128 of them move to a block. A posting is
    -- (chunk << 16 | impact), a term of a chunk (term << 8 | frequency). The fill factor leaves each page space for the
    -- next version of its rows. Postings have no foreign keys: see kb_chunks.
    CREATE TABLE kb_terms (
      id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT kb_terms_pk PRIMARY KEY,
      knowledge_base_id uuid NOT NULL CONSTRAINT kb_terms_knowledge_base_fk REFERENCES knowledge_bases (id),
      term text NOT NULL,
      df integer NOT NULL,
      recent bigint[] NOT NULL DEFAULT '{}',
      CONSTRAINT kb_terms_term_uq UNIQUE (knowledge_base_id, term)
    ) WITH (fillfactor = 60);

    -- Postings by falling impact, so that the best of a common term are read without the others.
    CREATE TABLE kb_posting_blocks (
      term_id integer NOT NULL,
      last_chunk bigint NOT NULL,
      first_chunk bigint NOT NULL,
      peak integer NOT NULL,
      postings bigint[] NOT NULL,
      CONSTRAINT kb_posting_blocks_pk PRIMARY KEY (term_id, last_chunk, first_chunk)
    );
    CREATE INDEX kb_posting_blocks_peak_idx ON kb_posting_blocks (term_id, peak DESC);

    CREATE TABLE kb_chunk_terms (
      chunk_id bigint CONSTRAINT kb_chunk_terms_pk PRIMARY KEY,
      document_id uuid NOT NULL,
      generation uuid NOT NULL,
      length integer NOT NULL,
      terms bigint[] NOT NULL
    );

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
    );
    CREATE INDEX kb_embedding_cache_age_idx ON kb_embedding_cache (organization_id, used_at);
    CREATE INDEX kb_embedding_cache_knowledge_base_idx ON kb_embedding_cache (knowledge_base_id);

    -- Passages that a teacher has judged right or wrong for a question.
    CREATE TABLE kb_judgements (
      id uuid CONSTRAINT kb_judgements_pk PRIMARY KEY,
      organization_id uuid NOT NULL,
      knowledge_base_id uuid NOT NULL
        CONSTRAINT kb_judgements_knowledge_base_fk REFERENCES knowledge_bases (id) ON DELETE CASCADE,
      question text NOT NULL,
      question_hash text NOT NULL,
      passage_hash text NOT NULL,
      chunks text[] NOT NULL,
      is_right boolean NOT NULL,
      filename text NOT NULL,
      excerpt text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT kb_judgements_passage_uq UNIQUE (knowledge_base_id, question_hash, passage_hash)
    )`;
}
