import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { queryPrepared } from '../../infrastructure/database';
import { SPELLING_QUERY } from './words/spelling-query';

export interface Vocabulary {
  readonly organizationId: string;
  readonly knowledgeBaseIds: readonly string[];
  /** Name of a PostgreSQL text-search configuration. */
  readonly configuration: string;
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
