import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { queryPrepared } from '../../infrastructure/database';
import { WORDS } from './bm25-query';
import { CHUNK_COLUMNS } from './hybrid-fusion';
import type { QuestionWord } from './rank-resident';
import { ResidentIndex, type ResidentChunk, type ResidentTerm, type ResidentTotals } from './resident-index';

/** State of a knowledge base. Searches give the same results while `version` stays equal. */
export interface ResidentState extends ResidentTotals {
  readonly version: string;
}

/** `hashtextextended` of the generations: a document's chunks never change within one. */
const STATES = `
  SELECT kb.id, kb.chunk_count AS "chunkCount", kb.token_count::float8 AS "tokenCount",
    concat_ws(' ', kb.chunk_count, kb.token_count, kb.index_version, (
      SELECT count(*) || ' ' || coalesce(sum(hashtextextended(
        concat_ws(' ', d.id, d.generation, d.filename, d.title, d.source_url), 0)), 0)
      FROM kb_documents d WHERE d.knowledge_base_id = kb.id AND d.generation IS NOT NULL)) AS version
  FROM knowledge_bases kb WHERE kb.id = ANY ($1::uuid[]) AND kb.organization_id = $2 AND kb.deleted_at IS NULL`;

const TERMS = `SELECT id, term, df FROM kb_terms WHERE knowledge_base_id = $1`;

/** Chunks of one statement. On the embedded engine, all other queries wait for the statement. */
const BATCH = 250;

const CHUNKS = `
  SELECT c.id AS chunk_id, c.knowledge_base_id,${CHUNK_COLUMNS},
    f.length, array_to_string(f.terms, ',') AS terms
  FROM kb_chunks c
  JOIN kb_documents d ON d.id = c.document_id AND d.generation = c.generation
  JOIN kb_chunk_terms f ON f.chunk_id = c.id
  WHERE c.knowledge_base_id = $1 AND c.organization_id = $2 AND c.id > $3
  ORDER BY c.id LIMIT ${BATCH}`;

/**
 * Parameters: text-search configurations of the wordings, the wordings, configurations that they are written in.
 *
 * The selects around the parameters hide their values from PostgreSQL's planner, so that one plan serves all questions.
 * A new plan would stem the stop words of nine languages each time.
 */
const QUESTION_WORDS = `
  WITH wording AS MATERIALIZED (
    SELECT * FROM unnest((SELECT $1::text[]), (SELECT $2::text[]), (SELECT $3::text[])) WITH ORDINALITY AS q (configuration, text, spoken, number)
  ) SELECT number::int, term, qtf FROM (${WORDS}) word ORDER BY number, term COLLATE "C"`;

/** Reads what `ResidentIndexes` holds. */
@Injectable()
export class ResidentRepository {
  constructor(private readonly dataSource: DataSource) {}

  states(organizationId: string, ids: readonly string[]): Promise<ResidentState[]> {
    return queryPrepared<ResidentState & Record<string, unknown>>(this.dataSource, STATES, [ids, organizationId]);
  }

  /** Several statements. The caller compares the state before and after. */
  async read(organizationId: string, totals: ResidentTotals): Promise<ResidentIndex> {
    const terms = await this.dataSource.query<ResidentTerm[]>(TERMS, [totals.id]);
    const chunks: ResidentChunk[] = [];
    for (let last = '0', more = true; more;) {
      const batch = await this.dataSource.query<ResidentChunk[]>(CHUNKS, [totals.id, organizationId, last]);
      chunks.push(...batch);
      last = batch.at(-1)?.chunk_id ?? last;
      more = batch.length === BATCH;
    }
    return new ResidentIndex(totals, terms, chunks);
  }

  /** Stems of the wordings, for each in the order that decides between equally rare ones. */
  words(
    configurations: readonly string[],
    wordings: readonly string[],
    spoken: readonly string[],
  ): Promise<QuestionWord[]> {
    const values = [configurations, wordings, spoken];
    return queryPrepared<QuestionWord & Record<string, unknown>>(this.dataSource, QUESTION_WORDS, values);
  }
}
