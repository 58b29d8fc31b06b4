import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { queryPrepared } from '../../infrastructure/database';
import { termsOf } from './searchable-text';

/** Neighbours read of each long word: the bound holds whatever a hostile document adds to the vocabulary. */
const NEIGHBOURS = 400;

/**
 * Parameters: knowledge base ids, text-search configuration, organization, candidates joined by spaces, first letters of
 * long words, the letters behind them.
 *
 * One row per known word: the positions of the candidates with its stem, counted from 1, or null for a neighbour.
 */
const SPELLING_QUERY = `
  WITH scope AS MATERIALIZED (
    SELECT id FROM knowledge_bases WHERE id = ANY ($1::uuid[]) AND organization_id = $3 AND deleted_at IS NULL
  )
  SELECT w.lexeme AS term, w.positions::int[] AS positions, sum(t.df)::int AS df
  FROM unnest(${termsOf('$2::text', '$4')}) w CROSS JOIN scope CROSS JOIN LATERAL (
    SELECT df FROM kb_terms WHERE knowledge_base_id = scope.id AND term = w.lexeme OFFSET 0
  ) t
  GROUP BY 1, 2
  UNION ALL
  SELECT near.term, NULL, near.df
  FROM unnest($5::text[], $6::text[]) AS range (first, after) CROSS JOIN scope CROSS JOIN LATERAL (
    SELECT term, df FROM kb_terms
    WHERE knowledge_base_id = scope.id AND term >= range.first AND term < range.after LIMIT ${NEIGHBOURS}
  ) near`;

export interface Vocabulary {
  readonly organizationId: string;
  readonly knowledgeBaseIds: readonly string[];
  /** Name of a PostgreSQL text-search configuration. */
  readonly configuration: string;
  /** Its words are the same while this stays equal. */
  readonly version: string;
}

/** A word of a vocabulary, as a stem. */
export interface KnownWord {
  readonly term: string;
  /** Positions of the candidates that have this stem, from 1; null for a neighbour of a long word. */
  readonly positions: readonly number[] | null;
  /** Passages that have it. */
  readonly df: number;
}

@Injectable()
export class SpellingRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The candidates that the vocabulary has, and its words with one of these prefixes. One round trip. */
  known(
    { organizationId, knowledgeBaseIds, configuration }: Vocabulary,
    candidates: readonly string[],
    beginnings: readonly string[],
  ): Promise<KnownWord[]> {
    return queryPrepared<KnownWord & Record<string, unknown>>(this.dataSource, SPELLING_QUERY, [
      knowledgeBaseIds,
      configuration,
      organizationId,
      candidates.join(' '),
      beginnings,
      beginnings.map(behind),
    ]);
  }
}

/** The first text that sorts after every text with this prefix. */
const behind = (beginning: string): string =>
  beginning.slice(0, -1) + String.fromCodePoint((beginning.codePointAt(beginning.length - 1) ?? 0) + 1);
