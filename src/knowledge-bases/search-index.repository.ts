import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../platform/database';

/** BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009): saturation of term frequency, weight of length. */
const K1 = 1;
const B = 0.75;

/** Rarest terms of a query that are searched; what is beyond them hardly moves a ranking. */
const QUERY_TERMS = 64;
/** Rows sent per statement. */
const BATCH = 200;

export interface IndexedChunk {
  readonly start: number;
  readonly end: number;
  readonly section: string;
  readonly text: string;
  /** What is searched instead of `text`: with headings, accents folded. */
  readonly searchText: string;
}

export interface IndexedDocument {
  readonly organizationId: string;
  readonly knowledgeBaseId: string;
  readonly documentId: string;
}

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

export interface Hit {
  readonly knowledge_base_id: string;
  readonly document_id: string;
  readonly filename: string;
  readonly title: string | null;
  readonly text: string;
  readonly section: string;
  readonly page: number | null;
  readonly ordinal: number;
  readonly chunk_count: number;
  readonly start_offset: number;
  readonly end_offset: number;
  readonly similarity: number;
}

/** Locks the knowledge base: its figures have one writer at a time, so uploads and deletes neither deadlock nor lose a count. */
const LOCK = `SELECT language FROM knowledge_bases WHERE id = $1 AND organization_id = $2 FOR UPDATE`;

const REMOVE_DOCUMENT = `
  WITH gone AS (
    DELETE FROM kb_chunks WHERE document_id = $1 AND knowledge_base_id = $2 RETURNING id, terms, length
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
  )
  UPDATE knowledge_bases
  SET chunk_count = chunk_count - (SELECT count(*) FROM gone),
      token_count = token_count - (SELECT coalesce(sum(length), 0) FROM gone)
  WHERE id = $2`;

const REMOVE_UNUSED_TERMS = `DELETE FROM kb_terms WHERE knowledge_base_id = $1 AND df <= 0`;

/** One statement per batch: chunks, document frequencies, postings and the knowledge base's totals move together. */
const ADD_CHUNKS = `
  WITH input AS (
    SELECT i.*, to_tsvector($4::regconfig, i.search_text) AS terms
    FROM unnest($5::int[], $6::int[], $7::int[], $8::text[], $9::text[], $10::text[])
      AS i (ordinal, start_offset, end_offset, section, text, search_text)
  ), chunk AS (
    INSERT INTO kb_chunks
      (organization_id, knowledge_base_id, document_id, ordinal, start_offset, end_offset, section, text, terms, length)
    SELECT $1, $2, $3, ordinal, start_offset, end_offset, section, text, terms,
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
 * Document frequencies are added up over the knowledge bases asked, so that passages of several compare. The similarity is
 * the score's share of the most that any passage could reach for this question (every term, endlessly often): 0..1, in the
 * order of the scores. OFFSET 0 keeps each term a walk along its own postings, whatever the planner has no statistics of.
 */
const SEARCH = `
  WITH scope AS (
    SELECT kb.id, s.configuration, kb.chunk_count, kb.token_count
    FROM unnest($1::uuid[], $2::text[]) AS s (id, configuration)
    JOIN knowledge_bases kb ON kb.id = s.id AND kb.organization_id = $3
  ), total AS (
    SELECT chunks, ${K1 * (1 - B)}::float8 AS flat, ${K1 * B}::float8 / greatest(tokens / greatest(chunks, 1), 1) AS per_word
    FROM (SELECT sum(chunk_count)::float8 AS chunks, sum(token_count)::float8 AS tokens FROM scope) s
  ), word AS (
    SELECT c.configuration, w.lexeme AS term
    FROM (SELECT DISTINCT configuration FROM scope) c CROSS JOIN LATERAL unnest(to_tsvector(c.configuration::regconfig, $4)) w
  ), weighed AS (
    SELECT word.configuration, word.term,
      ln(1 + (total.chunks - f.df + 0.5) / (f.df + 0.5)) AS idf
    FROM word CROSS JOIN total CROSS JOIN LATERAL (
      SELECT coalesce(sum(t.df), 0)::float8 AS df FROM scope
      JOIN kb_terms t ON t.knowledge_base_id = scope.id AND t.term = word.term
      WHERE scope.configuration = word.configuration
    ) f
  ), chosen AS (
    SELECT configuration, term, idf / sum(idf) OVER (PARTITION BY configuration) AS weight
    FROM (
      SELECT weighed.*, row_number() OVER (PARTITION BY configuration ORDER BY idf DESC, term) AS place FROM weighed
    ) w
    WHERE place <= ${QUERY_TERMS}
  ), hit AS (
    SELECT scope.id AS knowledge_base_id, best.chunk_id, best.similarity
    FROM scope CROSS JOIN LATERAL (
      SELECT p.chunk_id, sum(t.weight * p.tf / (p.tf + total.flat + total.per_word * p.length)) AS similarity
      FROM total CROSS JOIN (
        SELECT kt.id, chosen.weight FROM chosen
        JOIN kb_terms kt ON kt.knowledge_base_id = scope.id AND kt.term = chosen.term
        WHERE chosen.configuration = scope.configuration
        OFFSET 0
      ) t CROSS JOIN LATERAL (
        SELECT chunk_id, tf, length FROM kb_postings WHERE term_id = t.id OFFSET 0
      ) p
      GROUP BY p.chunk_id
      ORDER BY similarity DESC, p.chunk_id
      LIMIT $5
    ) best
  )
  SELECT hit.knowledge_base_id, c.document_id, d.filename, d.title, c.text, c.section, c.page, c.ordinal,
    d.chunk_count, c.start_offset, c.end_offset, hit.similarity
  FROM hit
  JOIN kb_chunks c ON c.id = hit.chunk_id
  JOIN kb_documents d ON d.id = c.document_id
  WHERE hit.similarity >= $6
  ORDER BY hit.similarity DESC, hit.chunk_id`;

/**
 * The keyword index: chunks, postings and document frequencies in plain tables, the same SQL on every PostgreSQL.
 * Whoever changes it holds the knowledge base's lock (`lock`) in the same transaction.
 */
@Injectable()
export class SearchIndexRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The knowledge base's language, or undefined when the organization has no such knowledge base any more. */
  async lock(
    organizationId: string,
    knowledgeBaseId: string,
    tx: Transaction,
  ): Promise<{ language: string | null } | undefined> {
    const rows = await tx.query<{ language: string | null }[]>(LOCK, [knowledgeBaseId, organizationId]);
    return rows[0];
  }

  async replace(
    document: IndexedDocument,
    configuration: string,
    chunks: readonly IndexedChunk[],
    tx: Transaction,
  ): Promise<void> {
    await this.remove(document, tx);
    for (let first = 0; first < chunks.length; first += BATCH) {
      const batch = chunks.slice(first, first + BATCH);
      await tx.query(ADD_CHUNKS, [
        document.organizationId,
        document.knowledgeBaseId,
        document.documentId,
        configuration,
        batch.map((_, index) => first + index),
        batch.map(({ start }) => start),
        batch.map(({ end }) => end),
        batch.map(({ section }) => section),
        batch.map(({ text }) => text),
        batch.map(({ searchText }) => searchText),
      ]);
    }
  }

  async remove({ documentId, knowledgeBaseId }: IndexedDocument, tx: Transaction): Promise<void> {
    await tx.query(REMOVE_DOCUMENT, [documentId, knowledgeBaseId]);
    await tx.query(REMOVE_UNUSED_TERMS, [knowledgeBaseId]);
  }

  /** Everything of a knowledge base, term by term, which no document's list of words is needed for. */
  async clear(knowledgeBaseId: string, tx: Transaction): Promise<void> {
    await tx.query(`DELETE FROM kb_postings p USING kb_terms t WHERE t.knowledge_base_id = $1 AND p.term_id = t.id`, [
      knowledgeBaseId,
    ]);
    await tx.query(`DELETE FROM kb_terms WHERE knowledge_base_id = $1`, [knowledgeBaseId]);
    await tx.query(`DELETE FROM kb_chunks WHERE knowledge_base_id = $1`, [knowledgeBaseId]);
  }

  /** Best chunks of each knowledge base, all together by similarity. One round trip. */
  search({ organizationId, scopes, text, topK, threshold }: KeywordSearch): Promise<Hit[]> {
    return this.dataSource.query<Hit[]>(SEARCH, [
      scopes.map(({ knowledgeBaseId }) => knowledgeBaseId),
      scopes.map(({ configuration }) => configuration),
      organizationId,
      text,
      topK,
      threshold,
    ]);
  }
}
