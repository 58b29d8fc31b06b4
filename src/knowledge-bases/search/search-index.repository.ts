import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { queryPrepared, type Transaction } from '../../platform/database';
import { BM25_QUERY } from './bm25-query';
import type { Hit, IndexedChunk } from './chunk.types';
import { ADD_CHUNKS, INDEX_BATCH, LOCK, REMOVE_CHUNKS } from './index-statements';

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

export { INDEX_BATCH } from './index-statements';

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
      chunks.map(({ tableHeader }) => tableHeader),
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

  /** Best chunks of each knowledge base, all together by similarity. One round trip. */
  search({ organizationId, scopes, text, topK, threshold }: KeywordSearch): Promise<Hit[]> {
    return queryPrepared<Hit>(this.dataSource, BM25_QUERY, [
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
