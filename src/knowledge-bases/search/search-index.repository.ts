import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../../platform/database';
import { BM25_QUERY } from './bm25-query';
import type { Hit, IndexedChunk } from './chunk.types';

/** Chunks that one transaction adds or removes: on the embedded engine everybody else waits for it. */
export const INDEX_BATCH = 100;

export interface IndexedDocument {
  readonly organizationId: string;
  readonly knowledgeBaseId: string;
  readonly documentId: string;
}

export interface ChunkBatch extends IndexedDocument {
  readonly generation: string;
  /** Name of a PostgreSQL text-search configuration. */
  readonly configuration: string;
  /** Ordinal of the first of `chunks`. */
  readonly first: number;
  readonly chunks: readonly IndexedChunk[];
}

/** Which chunks of a document go: all, those of generations before one, or those of exactly one. */
export type Removal = 'all' | { readonly before: string } | { readonly exactly: string };

export interface SearchScope {
  readonly knowledgeBaseId: string;
  /** Name of a PostgreSQL text-search configuration. */
  readonly configuration: string;
}

export interface KeywordSearch {
  readonly organizationId: string;
  readonly scopes: readonly SearchScope[];
  /** Folded as the chunks were. */
  readonly text: string;
  /** Per knowledge base. */
  readonly topK: number;
  readonly threshold: number;
}

/** Locks the knowledge base: its figures have one writer at a time, so uploads and deletes neither deadlock nor lose a count. */
const LOCK = `
  SELECT language, deleted_at IS NOT NULL AS deleted FROM knowledge_bases WHERE id = $1 AND organization_id = $2 FOR UPDATE`;

const REMOVE_CHUNKS = `
  WITH gone AS (
    DELETE FROM kb_chunks WHERE id IN (
      SELECT id FROM kb_chunks
      WHERE document_id = $1 AND knowledge_base_id = $2
        AND CASE $3 WHEN 'all' THEN true WHEN 'before' THEN generation < $4::uuid ELSE generation = $4::uuid END
      LIMIT ${INDEX_BATCH}
    ) RETURNING id, terms, length
  ), word AS (
    SELECT gone.id AS chunk_id, w.lexeme AS term FROM gone CROSS JOIN LATERAL unnest(gone.terms) w
  ), counted AS (
    SELECT term, count(*)::int AS chunks FROM word GROUP BY term
  ), lowered AS (
    UPDATE kb_terms t SET df = t.df - counted.chunks FROM counted
    WHERE t.knowledge_base_id = $2 AND t.term = counted.term
  ), unposted AS (
    DELETE FROM kb_postings p USING word JOIN kb_terms t ON t.knowledge_base_id = $2 AND t.term = word.term
    WHERE p.term_id = t.id AND p.chunk_id = word.chunk_id
  ), total AS (
    UPDATE knowledge_bases
    SET chunk_count = chunk_count - (SELECT count(*) FROM gone),
        token_count = token_count - (SELECT coalesce(sum(length), 0) FROM gone)
    WHERE id = $2
  )
  SELECT count(*)::int AS removed FROM gone`;

const REMOVE_UNUSED_TERMS = `DELETE FROM kb_terms WHERE knowledge_base_id = $1 AND df <= 0`;

/** One statement per batch: chunks, document frequencies, postings and the knowledge base's totals move together. */
const ADD_CHUNKS = `
  WITH input AS (
    SELECT i.*, to_tsvector($5::regconfig, i.search_text) AS terms
    FROM unnest($6::int[], $7::int[], $8::int[], $9::text[], $10::text[], $11::text[], $12::int[], $13::int[], $14::int[], $15::int[])
      AS i (ordinal, start_offset, end_offset, section, text, search_text, page, page_end, section_start, section_end)
  ), chunk AS (
    INSERT INTO kb_chunks
      (organization_id, knowledge_base_id, document_id, generation, ordinal, start_offset, end_offset, section, text,
       page, page_end, section_start, section_end, terms, length)
    SELECT $1, $2, $3, $4, ordinal, start_offset, end_offset, section, text, page, page_end, section_start, section_end, terms,
      (SELECT coalesce(sum(cardinality(w.positions)), 0) FROM unnest(terms) w)
    FROM input
    RETURNING id, terms, length
  ), word AS (
    SELECT chunk.id AS chunk_id, w.lexeme AS term, cardinality(w.positions) AS tf, least(chunk.length, 32767) AS length
    FROM chunk CROSS JOIN LATERAL unnest(chunk.terms) w
  ), counted AS (
    SELECT term, count(*)::int AS chunks FROM word GROUP BY term
  ), raised AS (
    UPDATE kb_terms t SET df = t.df + counted.chunks FROM counted
    WHERE t.knowledge_base_id = $2 AND t.term = counted.term
    RETURNING t.id, t.term
  ), added AS (
    INSERT INTO kb_terms (knowledge_base_id, term, df)
    SELECT $2, counted.term, counted.chunks FROM counted
    WHERE NOT EXISTS (SELECT 1 FROM kb_terms t WHERE t.knowledge_base_id = $2 AND t.term = counted.term)
    RETURNING id, term
  ), known AS (
    SELECT id, term FROM raised UNION ALL SELECT id, term FROM added
  ), posted AS (
    INSERT INTO kb_postings (chunk_id, term_id, tf, length)
    SELECT word.chunk_id, known.id, word.tf, word.length FROM word JOIN known USING (term)
    ORDER BY known.id, word.chunk_id
  )
  UPDATE knowledge_bases
  SET chunk_count = chunk_count + (SELECT count(*) FROM chunk),
      token_count = token_count + (SELECT coalesce(sum(length), 0) FROM chunk)
  WHERE id = $2`;

/**
 * The keyword index: chunks, postings and document frequencies in plain tables, the same SQL on every PostgreSQL.
 * Whoever changes it holds the knowledge base's lock (`lock`) in the same transaction.
 */
@Injectable()
export class SearchIndexRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Undefined when the organization has no such knowledge base any more. */
  async lock(
    organizationId: string,
    knowledgeBaseId: string,
    tx: Transaction,
  ): Promise<{ language: string | null; deleted: boolean } | undefined> {
    const rows = await tx.query<{ language: string | null; deleted: boolean }[]>(LOCK, [
      knowledgeBaseId,
      organizationId,
    ]);
    return rows[0];
  }

  async add(batch: ChunkBatch, tx: Transaction): Promise<void> {
    const { chunks } = batch;
    await tx.query(ADD_CHUNKS, [
      batch.organizationId,
      batch.knowledgeBaseId,
      batch.documentId,
      batch.generation,
      batch.configuration,
      chunks.map((_, index) => batch.first + index),
      chunks.map(({ start }) => start),
      chunks.map(({ end }) => end),
      chunks.map(({ section }) => section),
      chunks.map(({ text }) => text),
      chunks.map(({ searchText }) => searchText),
      chunks.map(({ page }) => page),
      chunks.map(({ pageEnd }) => pageEnd),
      chunks.map(({ sectionStart }) => sectionStart),
      chunks.map(({ sectionEnd }) => sectionEnd),
    ]);
  }

  /** Removes at most `INDEX_BATCH` chunks with their postings; false when none of them is left. */
  async removeSome(
    { documentId, knowledgeBaseId }: IndexedDocument,
    which: Removal,
    tx: Transaction,
  ): Promise<boolean> {
    const [mode, generation] = removalParameters(which);
    const rows = await tx.query<{ removed: number }[]>(REMOVE_CHUNKS, [documentId, knowledgeBaseId, mode, generation]);
    return (rows[0]?.removed ?? 0) === INDEX_BATCH;
  }

  async removeUnusedTerms(knowledgeBaseId: string, tx: Transaction): Promise<void> {
    await tx.query(REMOVE_UNUSED_TERMS, [knowledgeBaseId]);
  }

  /** Best chunks of each knowledge base, all together by similarity. One round trip. */
  search({ organizationId, scopes, text, topK, threshold }: KeywordSearch): Promise<Hit[]> {
    return this.dataSource.query<Hit[]>(BM25_QUERY, [
      scopes.map(({ knowledgeBaseId }) => knowledgeBaseId),
      scopes.map(({ configuration }) => configuration),
      organizationId,
      text,
      topK,
      threshold,
    ]);
  }
}

function removalParameters(which: Removal): [mode: string, generation: string | null] {
  if (which === 'all') return ['all', null];
  return 'before' in which ? ['before', which.before] : ['exactly', which.exactly];
}
