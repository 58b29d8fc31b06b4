import { isUuid } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { collectionReferences, type Definition, runningDefinition } from '../../src/assistants/definition';
import type { QuestionEmbedding } from './question-vectors.service';

/** `$1` organization, `$2` assistant. */
const DEFINITION = `
  SELECT system_prompt AS "systemPrompt", prompt_template AS "promptTemplate", metadata,
    rag_collections AS "ragCollections", rag_top_k AS "ragTopK", collection_ids AS "collectionIds"
  FROM assistants WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL`;

/** `$2` ids, `$3` slugs or aliases. */
const KNOWLEDGE_BASES = `
  SELECT id, coalesce(vector_embedding, embedding) AS embedding FROM knowledge_bases
  WHERE organization_id = $1 AND deleted_at IS NULL
    AND (id = ANY ($2::uuid[]) OR slug = ANY ($3::text[]) OR alias = ANY ($3::text[]))
  ORDER BY id`;

/**
 * `$1` organization, `$2` knowledge bases, `$3` runs, `$4` most documents, `$5` most passages of a document.
 *
 * Sources name no passage. A passage counts as found when a source names its document and section, and a page of it. In
 * a document without sections and pages, one source stands for all passages.
 */
const UNFOUND = `
  WITH source AS MATERIALIZED (
    SELECT DISTINCT source->>'document_id' AS document_id, coalesce(source->>'section', '') AS section,
      coalesce(source->'page', source#>'{place,from}')::int AS first,
      coalesce(source->'page_end', source->'page', source#>'{place,to}')::int AS last
    FROM runs run CROSS JOIN LATERAL jsonb_array_elements(run.sources) source
    WHERE run.organization_id = $1 AND run.id = ANY ($3::uuid[]) AND source->>'type' = 'knowledge_base'
  ), passage AS MATERIALIZED (
    SELECT d.id AS document_id, c.ordinal, c.section, c.page, coalesce(c.page_end, c.page) AS page_end, EXISTS (
      SELECT FROM source s WHERE s.document_id = d.id::text AND s.section = c.section
        AND (c.page IS NULL OR s.first IS NULL OR (c.page <= s.last AND coalesce(c.page_end, c.page) >= s.first))
    ) AS found
    FROM kb_documents d JOIN kb_chunks c
      ON c.document_id = d.id AND c.generation = d.generation AND c.organization_id = d.organization_id
    WHERE d.organization_id = $1 AND d.knowledge_base_id = ANY ($2::uuid[]) AND d.deleted_at IS NULL
  ), counted AS (
    SELECT document_id, count(*)::int AS parts, count(*) FILTER (WHERE found)::int AS found FROM passage GROUP BY 1
  ), chosen AS (
    SELECT d.knowledge_base_id, d.id, coalesce(d.title, d.filename) AS title, d.filename, d.language, d.page_count,
      d.page_labels, counted.parts, counted.found,
      row_number() OVER (PARTITION BY d.knowledge_base_id ORDER BY counted.found::float8 / counted.parts, counted.parts DESC, d.id) AS place
    FROM counted JOIN kb_documents d ON d.id = counted.document_id WHERE counted.found < counted.parts
  )
  SELECT chosen.knowledge_base_id AS "knowledgeBaseId", chosen.id, chosen.title, chosen.filename, chosen.language,
    chosen.page_count AS "pageCount", chosen.parts, chosen.found, never.items AS never
  FROM chosen CROSS JOIN LATERAL (
    SELECT json_agg(json_build_object('section', part.section, 'page', part.page, 'pageEnd', part.page_end,
      'label', chosen.page_labels[part.page], 'endLabel', chosen.page_labels[part.page_end]) ORDER BY part.ordinal) AS items
    FROM (
      SELECT section, page, page_end, min(ordinal) AS ordinal FROM passage
      WHERE document_id = chosen.id AND NOT found GROUP BY section, page, page_end ORDER BY 4 LIMIT $5
    ) part
  ) never
  WHERE chosen.place <= $4 ORDER BY chosen.knowledge_base_id, chosen.place`;

type StoredDefinitionRow = Omit<Definition, 'type' | 'name' | 'description'>;

interface Embedding {
  readonly provider: string;
  readonly model: string;
  readonly dimensions: number;
  readonly shortened?: boolean;
}

export interface NamedKnowledgeBases {
  readonly knowledgeBaseIds: readonly string[];
  /** The embedding of a knowledge base of the assistant; null without one. */
  readonly embedding: QuestionEmbedding | null;
}

/** A part of a document, by its section and its pages. */
export interface UnfoundPart {
  readonly section: string;
  readonly page: number | null;
  readonly pageEnd: number | null;
  /** Printed numbers of the pages, or the name of the sheet. */
  readonly label: string | null;
  readonly endLabel: string | null;
}

/** A document with passages that no source names. */
export interface UnfoundDocument {
  readonly knowledgeBaseId: string;
  readonly id: string;
  readonly title: string;
  readonly filename: string;
  readonly language: string | null;
  readonly pageCount: number | null;
  readonly parts: number;
  readonly found: number;
  readonly never: readonly UnfoundPart[];
}

@Injectable()
export class AssistantMaterialRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The organization's own knowledge bases that the newest definition of an assistant names. */
  async of(organizationId: string, assistantId: number): Promise<NamedKnowledgeBases> {
    const [definition] = await this.dataSource.query<StoredDefinitionRow[]>(DEFINITION, [organizationId, assistantId]);
    const references = definition === undefined ? [] : collectionReferences(runningDefinition(definition));
    const ids = references.filter(isUuid);
    const names = references.filter((reference) => !isUuid(reference));
    const rows = await this.dataSource.query<{ id: string; embedding: Embedding | null }[]>(KNOWLEDGE_BASES, [
      organizationId,
      ids,
      names,
    ]);
    const embedding = rows.find((row) => row.embedding !== null)?.embedding ?? null;
    return { knowledgeBaseIds: rows.map(({ id }) => id), embedding: embedding && questionEmbedding(embedding) };
  }

  /** Documents with passages that no answer of `runIds` got, the least found ones first. */
  unfound(
    organizationId: string,
    wanted: {
      readonly knowledgeBaseIds: readonly string[];
      readonly runIds: readonly string[];
      readonly documents: number;
      readonly parts: number;
    },
  ): Promise<UnfoundDocument[]> {
    const { knowledgeBaseIds, runIds, documents, parts } = wanted;
    return this.dataSource.query(UNFOUND, [organizationId, knowledgeBaseIds, runIds, documents, parts]);
  }
}

const questionEmbedding = ({ provider, model, dimensions, shortened }: Embedding): QuestionEmbedding => ({
  provider,
  model,
  dimensions: shortened === true ? dimensions : null,
});
