import type { Draft, DraftStep } from './plan-builder';
import type { Decomposition, QueryType, SubQuery } from './planning.types';
import { chooseTools, rankTools, relevanceOf } from './choose-tools';
import { type ToolFacts, termsOf } from './tool-profile';

/** Below this confidence every tool gets the whole question instead of sub-queries. */
const PLAIN = 0.6;
/** Minimum relevance of tools with their own content. */
const RELEVANT = 0.16;
/** A collection with less than this share of the best collection's score is skipped. */
const FAR_BEHIND = 0.25;
/** Least score of the best collection: about two words that no other collection has. */
const CLEAR = 1.5;
/** A question of fewer words is read together with the one before it. */
const FEW_WORDS = 3;
/** Characters of a question that are read for choosing tools. */
const READ_CHARS = 4_000;

export interface HeuristicInput {
  readonly query: string;
  /** The user's previous question; empty for the first one. */
  readonly earlier: string;
  readonly tools: readonly ToolFacts[];
  readonly decomposition: Decomposition;
  readonly maxSteps: number;
  /** Score of a tool in earlier runs, -0.15..0.15 (`PlanOutcomes`). */
  readonly learned: (facts: ToolFacts) => number;
  /** Cosine similarity of the question to each tool, in order; absent without an embedding model. */
  readonly similarities?: readonly number[];
}

const LOOKS: Readonly<Record<QueryType, string>> = {
  smalltalk: 'The question is small talk.',
  simple: 'The question is simple.',
  exact: 'The question asks for exact words.',
  comparison: 'The question is a comparison.',
  multi_part: 'The question has several parts.',
  multi_hop: 'The question needs several steps.',
  list_building: 'The question asks for a list.',
};

/** Chooses tools by rules and words alone; the same input gives the same plan. */
export function planHeuristically(input: HeuristicInput): Draft {
  const { decomposition, tools } = input;
  const simple = decomposition.confidence < PLAIN || decomposition.sub_queries.length < 2;
  const parts = simple ? [{ id: 'q1', text: input.query, dependencies: [] }] : decomposition.sub_queries;
  const reasons: string[] = [LOOKS[decomposition.type]];
  if (decomposition.type === 'smalltalk')
    return draft(input, personal(input), [...reasons, 'It needs no content.'], 0.9);
  const searches = searchSteps(input, parts, reasons);
  const others = contentSteps(input, parts, searches.length === 0, reasons);
  const found = [...searches, ...others, ...personal(input)];
  const joined = joinSteps(input, found);
  if (tools.length > 0 && found.length === 0) reasons.push('No tool fits it.');
  const sure = simple ? 0.6 : decomposition.confidence;
  return draft(input, [...found, ...joined], reasons, sure);
}

function draft(input: HeuristicInput, steps: readonly DraftStep[], reasons: readonly string[], sure: number): Draft {
  const kept = bounded(steps, input.maxSteps);
  const warnings = kept.length < steps.length ? [`The plan was cut to ${input.maxSteps} steps`] : [];
  const { decomposition } = input;
  const reasoning = reasons.join(' ');
  return { planner: 'heuristic', decomposition, steps: kept, reasoning, confidence: sure, warnings, usage: null };
}

/** Drops the last steps, but never joining and checking ones: the prompt may rely on them. */
function bounded(steps: readonly DraftStep[], most: number): readonly DraftStep[] {
  if (steps.length <= most) return steps;
  const last = steps.filter(({ facts }) => facts.role === 'synthesis' || facts.role === 'check').slice(0, most - 1);
  const first = steps.filter((step) => !last.includes(step)).slice(0, most - last.length);
  const kept = new Set([...first, ...last].map(({ id }) => id));
  return steps
    .filter(({ id }) => kept.has(id))
    .map((step) => ({ ...step, after: step.after.filter((id) => kept.has(id)) }));
}

const stepOf = (facts: ToolFacts, query: string, suffix: string, after: readonly string[] = []): DraftStep => ({
  id: `${facts.tool.index}${suffix}`,
  facts,
  query,
  config: {},
  after,
});

const personal = ({ tools, query }: HeuristicInput): DraftStep[] =>
  tools.filter(({ role }) => role === 'personal').map((facts) => stepOf(facts, query, ''));

function searchSteps(input: HeuristicInput, parts: readonly SubQuery[], reasons: string[]): DraftStep[] {
  const all = input.tools.filter(({ role }) => role === 'search');
  const idsOf = new Map<string, string[]>();
  const steps: DraftStep[] = [];
  for (const part of parts) {
    const chosen = nearest(input, part.text, byMode(all, input.decomposition.type === 'exact', input.learned));
    const after = part.dependencies.flatMap((id) => idsOf.get(id) ?? []);
    const made = chosen.map((facts) => stepOf(facts, alone(part, parts), parts.length > 1 ? part.id : '', after));
    idsOf.set(
      part.id,
      made.map(({ id }) => id),
    );
    steps.push(...made);
  }
  if (parts.length > 1 && steps.length > 0)
    reasons.push(`Each of its ${parts.length} parts is searched for by itself.`);
  const names = new Set(steps.map(({ facts }) => facts.tool.index));
  if (names.size < all.length) reasons.push(`Of ${all.length} searches ${names.size} fit it.`);
  return steps;
}

/** The part's text after the texts of the parts that it refers to ("it"). */
const alone = ({ text, dependencies }: SubQuery, parts: readonly SubQuery[]): string =>
  [
    ...parts.filter((part) => dependencies.includes(part.id) && !text.includes(part.text)).map((part) => part.text),
    text,
  ].join(' ');

/** Keeps one of several search tools over the same collections: keyword for exact words, else hybrid, else vector. */
function byMode(tools: readonly ToolFacts[], exact: boolean, learned: HeuristicInput['learned']): readonly ToolFacts[] {
  const places = new Map<string, ToolFacts>();
  for (const facts of tools) {
    const place = JSON.stringify(facts.tool.config['collections'] ?? facts.tool.index);
    const other = places.get(place);
    const better = (one: ToolFacts): number => modeScore(one, exact) + learned(one) - failuresOf(one);
    if (other === undefined || better(facts) > better(other)) places.set(place, facts);
  }
  return tools.filter((facts) => [...places.values()].includes(facts));
}

function modeScore({ definition }: ToolFacts, exact: boolean): number {
  const words = definition.capabilities.includes('exact_match');
  const meaning = definition.capabilities.includes('semantic_search');
  if (words && meaning) return exact ? 0.8 : 0.9;
  if (words) return exact ? 1 : 0.5;
  return meaning ? (exact ? 0.4 : 0.75) : 0.7;
}

const failuresOf = ({ stats }: ToolFacts): number =>
  stats === null || stats.calls < 10 ? 0 : 0.3 * stats.failure_rate;

/** All collections, unless the question's words clearly fit some of them better. */
function nearest(
  { earlier, learned, similarities, tools: all }: HeuristicInput,
  text: string,
  tools: readonly ToolFacts[],
): readonly ToolFacts[] {
  if (tools.length < 2) return tools;
  const asked = withEarlier(text, earlier);
  const ranked = rankTools(
    asked,
    tools.map(({ profile }) => profile),
    similarities && tools.map((facts) => similarities[all.indexOf(facts)] ?? 0),
  );
  const scores = tools.map((facts, at) => (ranked.find((each) => each.at === at)?.score ?? 0) * (1 + learned(facts)));
  const best = Math.max(...scores);
  if (best < CLEAR) return tools;
  return tools.filter((_, at) => (scores[at] ?? 0) >= FAR_BEHIND * best);
}

/** Steps for rubrics, files, other assistants and custom tools. */
function contentSteps(
  input: HeuristicInput,
  parts: readonly SubQuery[],
  alone: boolean,
  reasons: string[],
): DraftStep[] {
  const { query, earlier, tools, learned, similarities } = input;
  const candidates = tools.filter(({ role }) => role === 'content' || role === 'other');
  if (candidates.length === 0) return [];
  const asked = withEarlier(query, earlier);
  const unclear = termsOf(asked).length === 0;
  const nearOf = (facts: ToolFacts): number => similarities?.[tools.indexOf(facts)] ?? 0;
  const relevant = candidates.filter((facts) => {
    const bonus = learned(facts) + 0.3 * Math.max(0, nearOf(facts) - 0.3);
    return facts.tool.on_error === 'fail' || unclear || relevanceOf(asked, facts.text) + bonus >= RELEVANT;
  });
  const needed = together(relevant, [asked, ...parts.map(({ text }) => text)], similarities && relevant.map(nearOf));
  const chosen = relevant.filter((facts) => facts.tool.on_error === 'fail' || unclear || needed.has(facts));
  // Take all of them rather than none, which would leave the model without content.
  const kept = alone && chosen.length === 0 ? candidates : chosen;
  const left = candidates.length - kept.length;
  if (left > 0)
    reasons.push(`${left === 1 ? 'One other tool has' : `${left} other tools have`} nothing to do with it.`);
  return kept.map((facts) => stepOf(facts, query, ''));
}

/** The tools that the whole question or one of its parts needs. */
function together(
  tools: readonly ToolFacts[],
  texts: readonly string[],
  similarities: readonly number[] | undefined,
): ReadonlySet<ToolFacts> {
  const profiles = tools.map(({ profile }) => profile);
  const chosen = texts.flatMap((text) =>
    chooseTools(text.slice(0, READ_CHARS), profiles, similarities && { similarities }),
  );
  return new Set(chosen.flatMap((at) => tools[at] ?? []));
}

/** Tools that join earlier results, then tools that check them. */
function joinSteps({ tools, query }: HeuristicInput, found: readonly DraftStep[]): DraftStep[] {
  if (found.length === 0) return [];
  const before = found.map(({ id }) => id);
  const joining = tools.filter(({ role }) => role === 'synthesis').map((facts) => stepOf(facts, query, '', before));
  const joinedAfter = [...before, ...joining.map(({ id }) => id)];
  const checking = tools.filter(({ role }) => role === 'check').map((facts) => stepOf(facts, query, '', joinedAfter));
  return [...joining, ...checking];
}

const withEarlier = (text: string, earlier: string): string => {
  const read = text.slice(0, READ_CHARS);
  return termsOf(read).filter(({ weight }) => weight === 1).length < FEW_WORDS ? `${earlier} ${read}` : read;
};
