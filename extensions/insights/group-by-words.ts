import type { TimeSlices } from './time-slices';

/** Least cosine of two similar questions: rare words in common weigh more than all others together. */
const SIMILAR = 0.5;

/** Weights of the stems by their rarity (inverse document frequency). */
export function rarities(questions: readonly (readonly string[])[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const stems of questions) for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return new Map([...counts].map(([stem, count]) => [stem, Math.log(1 + questions.length / count)]));
}

/** The question that began a group. */
interface Leader {
  readonly stems: ReadonlySet<string>;
  readonly norm: number;
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
  const squareOf = (stem: string): number => (weights.get(stem) ?? 0) ** 2;
  const groups: number[][] = [];
  const leaders: Leader[] = [];
  const index = new Map<string, number[]>();
  for (const [at, stems] of questions.entries()) {
    await slices.ifDue();
    const norm = Math.sqrt(sumOf(stems, squareOf));
    const candidates = new Set(tellingStems(stems, squareOf).flatMap((stem) => index.get(stem) ?? []));
    const nearest = nearestOf(candidates, leaders, ({ stems: own, norm: length }) => {
      const common = stems.filter((stem) => own.has(stem));
      return sumOf(common, squareOf) / (norm * length);
    });
    if (nearest !== null) {
      groups[nearest]?.push(at);
      continue;
    }
    for (const stem of stems) addTo(index, stem, groups.length);
    leaders.push({ stems: new Set(stems), norm });
    groups.push([at]);
  }
  return groups;
}

const sumOf = (stems: readonly string[], squareOf: (stem: string) => number): number =>
  stems.reduce((sum, stem) => sum + squareOf(stem), 0);

/**
 * The rarest stems, without the common ones that even together make no question similar: a question that shares only
 * these has at most the cosine of their length and that of the whole.
 */
function tellingStems(stems: readonly string[], squareOf: (stem: string) => number): string[] {
  const sorted = [...stems].sort((one, other) => squareOf(other) - squareOf(one));
  const least = SIMILAR ** 2 * sumOf(stems, squareOf);
  let left = sumOf(stems, squareOf);
  return sorted.filter((stem) => {
    const isTelling = left >= least;
    left -= squareOf(stem);
    return isTelling;
  });
}

function nearestOf(
  candidates: ReadonlySet<number>,
  leaders: readonly Leader[],
  cosineTo: (leader: Leader) => number,
): number | null {
  let nearest: number | null = null;
  let best = SIMILAR;
  for (const candidate of candidates) {
    const leader = leaders[candidate];
    const cosine = leader === undefined ? 0 : cosineTo(leader);
    if (cosine < best || (cosine === best && nearest !== null)) continue;
    nearest = candidate;
    best = cosine;
  }
  return nearest;
}

function addTo(index: Map<string, number[]>, stem: string, group: number): void {
  const known = index.get(stem);
  if (known === undefined) index.set(stem, [group]);
  else known.push(group);
}
