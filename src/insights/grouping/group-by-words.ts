import type { TimeSlices } from './time-slices';

/** Least cosine of two similar questions: rare words in common weigh more than all others together. */
const SIMILAR = 0.5;

/** Weights of the stems by their rarity (inverse document frequency). */
export function rarities(questions: readonly (readonly string[])[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const stems of questions) for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return new Map([...counts].map(([stem, count]) => [stem, Math.log(1 + questions.length / count)]));
}

/**
 * Groups of similar questions as indexes into `questions`, which are sets of stems. A question joins the most similar
 * question that began a group, or begins one itself; an inverted index finds the candidates. The first questions begin
 * groups, so give the most frequent first.
 */
export async function groupByWords(
  questions: readonly (readonly string[])[],
  slices: Pick<TimeSlices, 'ifDue'>,
): Promise<number[][]> {
  const weights = rarities(questions);
  const groups: number[][] = [];
  const norms: number[] = [];
  const index = new Map<string, number[]>();
  for (const [at, stems] of questions.entries()) {
    await slices.ifDue();
    const norm = Math.sqrt(stems.reduce((sum, stem) => sum + (weights.get(stem) ?? 0) ** 2, 0));
    const nearest = nearestOf(productsOf(stems, weights, index), norm, norms);
    if (nearest !== null) {
      groups[nearest]?.push(at);
      continue;
    }
    for (const stem of stems) addTo(index, stem, groups.length);
    norms.push(norm);
    groups.push([at]);
  }
  return groups;
}

function productsOf(
  stems: readonly string[],
  weights: ReadonlyMap<string, number>,
  index: ReadonlyMap<string, readonly number[]>,
): ReadonlyMap<number, number> {
  const products = new Map<number, number>();
  for (const stem of stems) {
    const square = (weights.get(stem) ?? 0) ** 2;
    for (const group of index.get(stem) ?? []) products.set(group, (products.get(group) ?? 0) + square);
  }
  return products;
}

function nearestOf(products: ReadonlyMap<number, number>, norm: number, norms: readonly number[]): number | null {
  let nearest: number | null = null;
  let best = SIMILAR;
  for (const [group, product] of products) {
    const cosine = product / (norm * (norms[group] ?? Infinity));
    if (cosine < best || (cosine === best && nearest !== null)) continue;
    nearest = group;
    best = cosine;
  }
  return nearest;
}

function addTo(index: Map<string, number[]>, stem: string, group: number): void {
  const known = index.get(stem);
  if (known === undefined) index.set(stem, [group]);
  else known.push(group);
}
