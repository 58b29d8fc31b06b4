import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { termsOf } from '../../src/knowledge-bases';

/** `$1` text-search configuration, `$2` folded words. Stop words have no stem. */
const STEMS = `
  SELECT word, (tsvector_to_array(${termsOf('$1::text', 'word')}))[1] AS stem FROM unnest($2::text[]) AS word`;

/** Stems of words by PostgreSQL's dictionaries, as the search of knowledge bases uses them. */
@Injectable()
export class QuestionStemsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Words without a stem are left out. */
  async of(configuration: string, words: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (words.length === 0) return new Map();
    const rows = await this.dataSource.query<{ word: string; stem: string | null }[]>(STEMS, [configuration, words]);
    return new Map(rows.flatMap(({ word, stem }) => (stem === null ? [] : [[word, stem] as const])));
  }
}
