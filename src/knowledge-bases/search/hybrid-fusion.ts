import type { Hit } from './chunk.types';

/** Columns of a hit that come from its chunk `c` and document `d`. */
export const CHUNK_COLUMNS = `
    c.document_id, c.generation, d.filename, d.source_url, d.title, c.text, c.table_header, c.section, c.page, c.page_end,
    d.page_labels[c.page] AS page_label, d.page_labels[c.page_end] AS page_end_label, d.page_count, c.ordinal, d.chunk_count,
    c.start_offset, c.end_offset, c.section_start, c.section_end`;

/**
 * Adds the other columns of `Hit` to a CTE `hit (chunk_id, knowledge_base_id, similarity, strength, unknown)`. Best first;
 * `$6` is the minimum similarity.
 */
export const HIT_ROWS = `
  SELECT hit.chunk_id, hit.knowledge_base_id,${CHUNK_COLUMNS}, hit.similarity, hit.strength, hit.unknown
  FROM hit
  JOIN kb_chunks c ON c.id = hit.chunk_id
  JOIN kb_documents d ON d.id = c.document_id
  WHERE hit.similarity >= $6
  ORDER BY hit.similarity DESC, hit.chunk_id`;

/** How the hits of one knowledge base are weighted. */
export interface FusionScope {
  /** Share of the vector similarity, 0..1: 0 is keyword mode, 1 is vector mode. */
  readonly weight: number;
  /** Embedding model. Similarities of one model are on one scale; null in keyword mode. */
  readonly model: string | null;
}

export interface Fusion {
  readonly keyword: readonly Hit[];
  readonly vector: readonly Hit[];
  /** Scopes by knowledge base. Hits of other knowledge bases are dropped. */
  readonly scopes: ReadonlyMap<string, FusionScope>;
  /** Limit of the vector search per knowledge base. */
  readonly depth: number;
}

interface Pair {
  readonly hit: Hit;
  readonly keyword: number;
  vector: number | null;
}

/**
 * Fuses two rankings by a convex combination of normalised scores. It beats reciprocal rank fusion and needs no tuning but the
 * weight (Bruch, Gai, Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", ACM TOIS 2023). The normalisation is
 * theirs: theoretical minimum (0), observed maximum.
 *
 * For weight w, keyword similarity k and vector similarity v with their maxima K and V over the question:
 *   similarity = ((1 − w)·k/K + w·v/V) · ((1 − w)·K + w·V)
 * The second factor restores the scale 0..1, so that `threshold` means the same in all modes (w = 0 gives k, w = 1 gives v).
 *
 * A passage without a common word has k = 0. A passage missing from a full vector list gets the v of the last one in it: an
 * upper bound. With 0 instead, lists of 32 lost 0.05 nDCG@10 at w = 0.5 on a textbook; with the bound, 20 to 200 rank alike.
 */
export function fuseHits({ keyword, vector, scopes, depth }: Fusion): Hit[] {
  const lowest = lowestOf(vector, depth);
  const pairs = pairsOf(keyword, vector);
  const best = { keyword: 0, vector: new Map<string | null, number>() };
  for (const { hit, keyword: similarity } of pairs) {
    if (scopes.has(hit.knowledge_base_id)) best.keyword = Math.max(best.keyword, similarity);
  }
  for (const { knowledge_base_id, similarity } of vector) {
    const model = scopes.get(knowledge_base_id)?.model ?? null;
    best.vector.set(model, Math.max(best.vector.get(model) ?? 0, similarity));
  }
  return pairs
    .flatMap(({ hit, keyword: k, vector: found }) => {
      const scope = scopes.get(hit.knowledge_base_id);
      if (scope === undefined || (scope.weight === 1 && found === null)) return [];
      const v = found ?? lowest.get(hit.knowledge_base_id) ?? 0;
      const maxima = { keyword: best.keyword, vector: best.vector.get(scope.model) ?? 0 };
      const similarity = combined(scope.weight, { keyword: k, vector: v }, maxima);
      // Drop passages without a common word and with a cosine of 0 or less, even if few remain.
      return similarity > 0 ? [{ ...hit, similarity }] : [];
    })
    .sort(byRank);
}

type Placed = Pick<Hit, 'similarity' | 'chunk_id'>;

/** Best first; ties in the order of chunk ids, as in SQL. */
export const byRank = (a: Placed, b: Placed): number => b.similarity - a.similarity || byNumber(a.chunk_id, b.chunk_id);

/** Chunk ids are 64-bit numbers written in decimal. */
const byNumber = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : Number(a > b));

interface Scores {
  readonly keyword: number;
  readonly vector: number;
}

function combined(weight: number, found: Scores, best: Scores): number {
  // Exact for one mode alone; the formula would round.
  if (weight === 0) return found.keyword;
  if (weight === 1) return found.vector;
  const words = best.keyword === 0 ? 0 : found.keyword / best.keyword;
  const meaning = best.vector === 0 ? 0 : found.vector / best.vector;
  const scale = (1 - weight) * best.keyword + weight * best.vector;
  return Math.min(1, ((1 - weight) * words + weight * meaning) * scale);
}

function pairsOf(keyword: readonly Hit[], vector: readonly Hit[]): Pair[] {
  const pairs = new Map<string, Pair>();
  for (const hit of keyword) pairs.set(hit.chunk_id, { hit, keyword: share(hit.similarity), vector: null });
  for (const hit of vector) {
    const pair = pairs.get(hit.chunk_id);
    if (pair === undefined) pairs.set(hit.chunk_id, { hit, keyword: 0, vector: share(hit.similarity) });
    else pair.vector = share(hit.similarity);
  }
  return [...pairs.values()];
}

/** Similarity of the last hit of each full list. */
function lowestOf(vector: readonly Hit[], depth: number): ReadonlyMap<string, number> {
  const lists = new Map<string, { length: number; least: number }>();
  for (const { knowledge_base_id: id, similarity } of vector) {
    const list = lists.get(id) ?? { length: 0, least: 1 };
    lists.set(id, { length: list.length + 1, least: Math.min(list.least, share(similarity)) });
  }
  return new Map([...lists].flatMap(([id, { length, least }]) => (length >= depth ? [[id, least] as const] : [])));
}

const share = (similarity: number): number => Math.min(1, Math.max(0, similarity));
