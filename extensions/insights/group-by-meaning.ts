import type { TimeSlices } from './time-slices';

/** Vector of length 1. */
export type Vector = Float32Array;

const MOST_PAIRS = 2_000;
/** Above it all questions of a class can be one group. */
const STRICTEST = 0.9;

/**
 * The least cosine of two similar questions. Models differ in what unrelated texts have in common: 0.1 with some, 0.75
 * with others. So it is measured: the median cosine of random pairs of these questions, and half of the way from there
 * to 1. At most `STRICTEST`, because the pairs of a class with a single topic are all similar. The pairs are the same for
 * the same questions.
 */
export function similarityThreshold(vectors: readonly Vector[]): number {
  const cosines = pairsOf(vectors.length)
    .map(([one, other]) => cosineOf(vectors[one], vectors[other]))
    .sort((a, b) => a - b);
  const median = cosines[Math.floor(cosines.length / 2)] ?? 0;
  return Math.min(STRICTEST, median + (1 - median) / 2);
}

/** All pairs of a few questions, evenly spread pairs of many. */
function pairsOf(count: number): (readonly [number, number])[] {
  const all = (count * (count - 1)) / 2;
  const step = Math.max(1, Math.ceil(all / MOST_PAIRS));
  const pairs: (readonly [number, number])[] = [];
  let place = 0;
  for (let one = 0; one < count; one++) {
    for (let other = one + 1; other < count; other++, place++) if (place % step === 0) pairs.push([one, other]);
  }
  return pairs;
}

function cosineOf(one: Vector | undefined, other: Vector | undefined): number {
  if (one === undefined || other === undefined) return 0;
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

/** Groups of questions near in meaning, as indexes; as `groupByWords`, the first questions begin groups. */
export async function groupByMeaning(
  vectors: readonly Vector[],
  slices: Pick<TimeSlices, 'ifDue'>,
): Promise<number[][]> {
  const threshold = similarityThreshold(vectors);
  const groups: { readonly first: Vector; readonly members: number[] }[] = [];
  for (const [at, vector] of vectors.entries()) {
    await slices.ifDue();
    let nearest: number[] | null = null;
    let best = threshold;
    for (const { first, members } of groups) {
      const cosine = cosineOf(vector, first);
      if (cosine < best) continue;
      nearest = members;
      best = cosine;
    }
    if (nearest === null) groups.push({ first: vector, members: [at] });
    else nearest.push(at);
  }
  return groups.map(({ members }) => members);
}
