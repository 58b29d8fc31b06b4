import { type Awaitable, type Source, type Usage, addUsage, sourceIdentity } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { LanguageDetector } from '../infrastructure/languages';
import {
  type Citation,
  DISPLAY_LANGUAGES,
  type DisplayLanguage,
  type FoundPassage,
  type ToolOutcome,
  writeNumbers,
} from '../tools';

interface NumberedOutcomes {
  /** The outcomes with their citations written into the content, sources numbered. */
  readonly outcomes: readonly ToolOutcome[];
  /** Every source of the told outcomes once, in the order of `n`, from 1. */
  readonly sources: readonly Source[];
}

interface Keyed {
  readonly key: string;
  readonly source: Source;
  /** The text for the model shows its number. */
  readonly isCited: boolean;
  /** Its outcome is told to the caller. */
  readonly isTold: boolean;
}

/** Told and cited, told, not told: the numbers of told sources have no gap. */
const RANKS = [
  ({ isTold, isCited }: Keyed): boolean => isTold && isCited,
  ({ isTold, isCited }: Keyed): boolean => isTold && !isCited,
  ({ isTold }: Keyed): boolean => !isTold,
];

/**
 * Numbers the sources of all tools, and writes the numbers into the tools' citations. Cited sources come first, in tool
 * order: the model never read the numbers of the others. Equal sources of two tools become one. Equal passages of one tool
 * stay two, because its text holds both. Sources of an outcome that `isTold` denies come last and are not told.
 */
export function numberSources(
  outcomes: readonly ToolOutcome[],
  isTold: (outcome: ToolOutcome) => boolean = () => true,
): NumberedOutcomes {
  if (outcomes.every((outcome) => outcome.status !== 'completed' || outcome.sources.length === 0)) {
    return { outcomes, sources: [] };
  }
  const keyed = outcomes.map((outcome) => keyedSources(outcome, isTold(outcome)));
  const found = keyed.flat();
  const numbers = new Map<string, Source>();
  for (const isRanked of RANKS) {
    for (const each of found) {
      const { key, source } = each;
      if (isRanked(each) && !numbers.has(key)) numbers.set(key, { ...source, n: numbers.size + 1 });
    }
  }
  const told = new Set(found.flatMap(({ key, isTold }) => (isTold ? [key] : [])));
  const numbered = outcomes.map((outcome, at) => {
    if (outcome.status !== 'completed' || outcome.sources.length === 0) return outcome;
    const own = (keyed[at] ?? []).map(({ key, source }): Source => ({ ...source, n: numbers.get(key)?.n }));
    const content = writeNumbers(outcome.content, outcome.citations, own);
    return { ...outcome, content, sources: own, citations: [] };
  });
  return { outcomes: numbered, sources: [...numbers].flatMap(([key, source]) => (told.has(key) ? [source] : [])) };
}

function keyedSources(outcome: ToolOutcome, isTold: boolean): readonly Keyed[] {
  if (outcome.status !== 'completed') return [];
  const cited = new Set(outcome.citations.map(({ source }) => source));
  const seen = new Map<string, number>();
  return outcome.sources.map((source, place) => {
    const identity = sourceIdentity(source);
    const occurrence = (seen.get(identity) ?? 0) + 1;
    seen.set(identity, occurrence);
    return { key: `${occurrence} ${identity}`, source, isCited: cited.has(place), isTold };
  });
}

interface FitTexts {
  readonly weak: string;
  readonly nothing: string;
}

/** Facts for the model, in the language of the template. */
const FIT: Readonly<Record<DisplayLanguage, FitTexts>> = {
  en: {
    weak: 'Note: the passages below share few words with the question. They may not answer it.',
    nothing: 'Note: no passage of the material fits the question.',
  },
  es: {
    weak: 'Nota: los fragmentos siguientes tienen pocas palabras en común con la pregunta. Puede que no la respondan.',
    nothing: 'Nota: ningún fragmento del material se ajusta a la pregunta.',
  },
  ca: {
    weak: 'Nota: els fragments següents tenen poques paraules en comú amb la pregunta. Potser no la responen.',
    nothing: "Nota: cap fragment del material no s'ajusta a la pregunta.",
  },
  eu: {
    weak: 'Oharra: ondorengo pasarteek hitz gutxi dituzte galderarekin komunean. Baliteke galderari ez erantzutea.',
    nothing: 'Oharra: materialaren pasarte bat ere ez dator bat galderarekin.',
  },
};

const isWeak = (outcome: ToolOutcome): outcome is Completed =>
  outcome.status === 'completed' && outcome.saysFit === true && outcome.search?.match?.weak === true;

/** Puts what is known about a search before its passages. */
@Injectable()
export class SearchNotes {
  constructor(private readonly detector: LanguageDetector) {}

  /** `instructions`: system prompt and template, which tell the language. */
  told(outcomes: readonly ToolOutcome[], instructions: string): Awaitable<readonly ToolOutcome[]> {
    return outcomes.some(isWeak) ? this.withNotes(outcomes, instructions) : outcomes;
  }

  private async withNotes(outcomes: readonly ToolOutcome[], instructions: string): Promise<readonly ToolOutcome[]> {
    const language = await this.detector.among(instructions, DISPLAY_LANGUAGES);
    const { weak, nothing } = FIT[language ?? 'en'];
    return outcomes.map((outcome) => {
      if (!isWeak(outcome)) return outcome;
      const { content } = outcome;
      return { ...outcome, content: content === '' ? nothing : `${weak}\n\n${content}` };
    });
  }
}

/** Two tools with one placeholder (refused at save, found in old documents) both reach its slot, in tool order. */
export function contentByPlaceholder(outcomes: readonly ToolOutcome[]): Map<string, string> {
  const contents = new Map<string, string>();
  for (const outcome of outcomes) {
    if (outcome.status !== 'completed' || outcome.placeholder === null || outcome.content === '') continue;
    const earlier = contents.get(outcome.placeholder);
    contents.set(outcome.placeholder, earlier === undefined ? outcome.content : `${earlier}\n\n${outcome.content}`);
  }
  return contents;
}

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
