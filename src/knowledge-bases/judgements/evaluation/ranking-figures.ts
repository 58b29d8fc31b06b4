/** Chunks of one judged passage, by the hash of their text. */
export interface Judged {
  readonly chunks: readonly string[];
  readonly isRight: boolean;
}

export interface RankingFigures {
  /** 0..1 (Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", ACM TOIS 2002), gain 1 or 0. */
  readonly ndcg: number;
  /** Whether a right passage is among the first. */
  readonly hit: boolean;
  /** Share of the passages shown that somebody has judged. */
  readonly judged: number;
}

/**
 * Right passages of one question. Judgements that share chunks are about one passage. A chunk that was judged wrong alone
 * does not make a longer passage right.
 */
export function rightPassages(judgements: readonly Judged[], present: ReadonlySet<string>): ReadonlySet<string>[] {
  const wrong = new Set(judgements.flatMap(({ isRight, chunks }) => (isRight ? [] : chunks)));
  const groups: Set<string>[] = [];
  for (const { isRight, chunks } of judgements) {
    if (!isRight) continue;
    const rest = chunks.filter((chunk) => !wrong.has(chunk));
    const own = new Set((rest.length === 0 ? chunks : rest).filter((chunk) => present.has(chunk)));
    if (own.size === 0) continue;
    const touching = groups.filter((group) => [...group].some((chunk) => own.has(chunk)));
    for (const group of touching) {
      for (const chunk of group) own.add(chunk);
      groups.splice(groups.indexOf(group), 1);
    }
    groups.push(own);
  }
  return groups;
}

/** `shown`: chunks of each passage that a search found, best first. Each right passage counts where it is found first. */
export function figuresOf(
  shown: readonly (readonly string[])[],
  judgements: readonly Judged[],
  right: readonly ReadonlySet<string>[],
  at: number,
): RankingFigures {
  const top = shown.slice(0, at);
  const left = new Set(right);
  let gained = 0;
  for (const [place, chunks] of top.entries()) {
    const found = [...left].filter((passage) => chunks.some((chunk) => passage.has(chunk)));
    for (const passage of found) left.delete(passage);
    if (found.length > 0) gained += discount(place);
  }
  let ideal = 0;
  for (let place = 0; place < Math.min(at, right.length); place++) ideal += discount(place);
  const known = new Set(judgements.flatMap(({ chunks }) => chunks));
  const judged = top.filter((chunks) => chunks.some((chunk) => known.has(chunk))).length;
  return {
    ndcg: ideal === 0 ? 0 : gained / ideal,
    hit: left.size < right.length,
    judged: top.length === 0 ? 1 : judged / top.length,
  };
}

const discount = (place: number): number => 1 / Math.log2(place + 2);
