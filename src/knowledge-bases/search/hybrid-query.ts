import { BM25_QUERY } from './bm25-query';
import { type AnnIndex, vectorParameters, vectorQuery, type VectorSearch } from './vector-query';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Whether the text is one of a few, so that connections may prepare it. With graphs the text names index ids. */
  readonly isConstant: boolean;
}

/** Parameters of `BM25_QUERY`, in its order. */
export type KeywordParameters = readonly [
  knowledgeBaseIds: readonly string[],
  /** Number of the wording for each knowledge base, from 1. */
  numbers: readonly number[],
  organizationId: string,
  configurations: readonly string[],
  limit: number,
  threshold: number,
  wordings: readonly string[],
  spoken: readonly string[],
];

export interface VectorHalf extends VectorSearch {
  readonly graphs: readonly AnnIndex[];
}

/** One statement for both searches. The column `by` says which one found a row; a chunk may come twice. */
export function searchStatement(keyword: KeywordParameters | null, vector: VectorHalf | null): Statement {
  const halves = [
    ...(keyword === null ? [] : [{ by: 'keyword', sql: BM25_QUERY, parameters: keyword }]),
    ...(vector === null
      ? []
      : [{ by: 'vector', sql: vectorQuery(vector.graphs), parameters: vectorParameters(vector) }]),
  ];
  const parameters: unknown[] = [];
  const selects = halves.map((half) => {
    const sql = shifted(half.sql, parameters.length);
    parameters.push(...half.parameters);
    return `SELECT '${half.by}' AS by, found.* FROM (${sql}) found`;
  });
  return { sql: selects.join('\nUNION ALL\n'), parameters, isConstant: (vector?.graphs.length ?? 0) === 0 };
}

/** The query with its parameters renumbered to come after `by` others. */
const shifted = (sql: string, by: number): string => sql.replace(/\$(\d+)/g, (_, n: string) => `$${Number(n) + by}`);
