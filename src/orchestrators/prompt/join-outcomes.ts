import { addUsage, type Source, sourceIdentity, type Usage } from '../../kernel';
import type { Citation, FoundPassage, ToolOutcome } from '../../tools';

type Named = Pick<ToolOutcome, 'index' | 'plugin' | 'placeholder'>;
type Completed = Extract<ToolOutcome, { status: 'completed' }>;

const GAP = '\n\n';

/**
 * The outcome of a tool that ran in several steps: contents in the given order, equal sources once, the lowest stated
 * confidence. It is failed when no step completed and one failed.
 */
export function joinSteps({ index, plugin, placeholder }: Named, steps: readonly ToolOutcome[]): ToolOutcome {
  const completed = steps.filter((step) => step.status === 'completed');
  const own = { index, plugin, placeholder, duration_ms: sum(steps.map(({ duration_ms }) => duration_ms)) };
  const [only] = steps;
  if (only !== undefined && steps.length === 1) return only;
  const usage = usageOf(steps);
  if (completed.length > 0) return { ...own, ...joined(completed), usage };
  const failed = steps.find((step) => step.status === 'failed');
  if (failed !== undefined) return { ...failed, ...own, ...(usage === null ? {} : { usage }) };
  const skipped = steps.find((step) => step.status === 'skipped');
  return { ...own, status: 'skipped', reason: skipped?.reason ?? 'it has no step' };
}

/** Tokens of all outcomes, failed ones included. */
export const usageOf = (outcomes: readonly ToolOutcome[]): Usage | null =>
  outcomes.reduce<Usage | null>((all, outcome) => ('usage' in outcome ? addUsage(all, outcome.usage) : all), null);

/** One outcome per tool, where some of them may be steps of one. */
export function joinByTool(outcomes: readonly ToolOutcome[]): readonly ToolOutcome[] {
  const steps = new Map<number, ToolOutcome[]>();
  for (const outcome of outcomes) {
    const earlier = steps.get(outcome.index);
    if (earlier === undefined) steps.set(outcome.index, [outcome]);
    else earlier.push(outcome);
  }
  if (steps.size === outcomes.length) return outcomes;
  return [...steps.values()].flatMap((each) => (each[0] === undefined ? [] : [joinSteps(each[0], each)]));
}

function joined(steps: readonly Completed[]): Omit<Completed, 'index' | 'plugin' | 'placeholder' | 'duration_ms'> {
  const { content, sources, citations, passages } = joinTexts(steps);
  const evidence = steps.find((step) => step.evidence !== undefined)?.evidence;
  const fallback = steps.find((step) => step.fallback !== undefined)?.fallback;
  const queries = steps.flatMap(({ query = null }) => (query === null ? [] : [query]));
  return {
    status: 'completed',
    content,
    chars: content.length,
    sources,
    citations,
    passages,
    confidence: least(steps.flatMap(({ confidence }) => confidence ?? [])),
    cached: steps.every(({ cached }) => cached),
    retries: sum(steps.map(({ retries }) => retries)),
    warnings: [...new Set(steps.flatMap(({ warnings }) => warnings))],
    query: queries.length === 0 ? null : queries.join('\n'),
    ...(fallback === undefined ? {} : { fallback }),
    ...bestSearch(steps),
    ...(evidence === undefined ? {} : { evidence }),
    truncated: steps.some(({ truncated }) => truncated),
  };
}

/** The facts of the step that the material fits best. */
function bestSearch(steps: readonly Completed[]): Pick<Completed, 'search' | 'saysFit'> {
  const strengthOf = ({ search }: Completed): number => search?.match?.strength ?? 0;
  const [best] = steps.filter(({ search }) => search).sort((a, b) => strengthOf(b) - strengthOf(a));
  return best === undefined ? {} : { search: best.search ?? null, saysFit: best.saysFit === true };
}

function joinTexts(
  steps: readonly Completed[],
): Required<Pick<Completed, 'content' | 'sources' | 'citations' | 'passages'>> {
  let content = '';
  const sources: Source[] = [];
  const citations: Citation[] = [];
  const passages: FoundPassage[] = [];
  const places = new Map<string, number>();
  for (const step of steps) {
    const offset = content === '' || step.content === '' ? content.length : content.length + GAP.length;
    if (step.content !== '') content = content === '' ? step.content : content + GAP + step.content;
    const seen = new Map<string, number>();
    const placeOf = step.sources.map((source) => {
      const identity = sourceIdentity(source);
      const occurrence = (seen.get(identity) ?? 0) + 1;
      seen.set(identity, occurrence);
      const key = `${occurrence} ${identity}`;
      const place = places.get(key) ?? sources.push(source) - 1;
      places.set(key, place);
      return place;
    });
    for (const { at, source } of step.citations) citations.push({ at: at + offset, source: placeOf[source] ?? source });
    for (const { source, text } of step.passages ?? []) passages.push({ source: placeOf[source] ?? source, text });
  }
  return { content, sources, citations, passages };
}

const sum = (values: readonly number[]): number =>
  Math.round(values.reduce((all, value) => all + value, 0) * 100) / 100;
const least = (values: readonly number[]): number | null => (values.length === 0 ? null : Math.min(...values));
