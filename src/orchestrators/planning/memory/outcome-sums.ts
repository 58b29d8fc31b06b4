import type { ToolOutcome } from '../../../tools';
import type { PlanResult, ToolPlan } from '../planning.types';

/** Columns of the primary key, in its order. */
export const KEY_NAMES = [
  'organizationId',
  'assistantId',
  'queryClass',
  'tools',
  'planner',
  'arm',
  'day',
] as const satisfies readonly (keyof OutcomeKey)[];

/** Columns that add up. */
export const SUM_NAMES = [
  'plans',
  'steps',
  'failedSteps',
  'durationSum',
  'planningSum',
  'tokens',
  'confidenceSum',
  'confidences',
] as const satisfies readonly (keyof OutcomeSums)[];

/** Outcomes of the same key add up. */
interface OutcomeKey {
  readonly organizationId: string;
  readonly assistantId: number;
  readonly queryClass: string;
  /** Placeholders of the tools that ran, sorted, joined by `+`; empty when none did. */
  readonly tools: string;
  readonly planner: string;
  /** `a` or `b` in an experiment, else empty. */
  readonly arm: string;
  /** UTC, `2026-11-22`. */
  readonly day: string;
}

export interface OutcomeSums {
  plans: number;
  /** Steps that ran, failed ones included. */
  steps: number;
  failedSteps: number;
  /** Milliseconds. */
  durationSum: number;
  planningSum: number;
  /** Tokens of the tools and of the planning. */
  tokens: number;
  confidenceSum: number;
  confidences: number;
}

export interface OutcomeRow {
  readonly key: OutcomeKey;
  readonly sums: OutcomeSums;
}

const DAY_MS = 86_400_000;
/** Days after which an outcome counts half. */
const HALF_LIFE = 14;
/** Weight of the prior, in plans (Bayesian average). */
const PRIOR = 8;
const NEUTRAL = 0.6;
const STRENGTH = 0.4;
/** Largest influence of outcomes on a tool's score, up or down. */
const MOST_INFLUENCE = 0.15;

export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** One plan's run. */
export function outcomeOf(plan: ToolPlan, result: PlanResult, at: number): OutcomeRow {
  const ran = result.outcomes.filter(({ status }) => status !== 'skipped');
  const done = ran.filter((outcome): outcome is Completed => outcome.status === 'completed');
  const confidences = done.flatMap(({ confidence }) => confidence ?? []);
  const tokens = done.reduce((sum, { usage }) => sum + (usage?.total_tokens ?? 0), plan.usage?.total_tokens ?? 0);
  return {
    key: {
      organizationId: result.organizationId,
      assistantId: result.assistantId,
      queryClass: plan.query_class,
      tools: combination(plan.steps.map(({ placeholder, tool, index }) => placeholder ?? `${index + 1}_${tool}`)),
      planner: plan.planner,
      arm: plan.experiment ?? '',
      day: dayOf(at),
    },
    sums: {
      plans: 1,
      steps: ran.length,
      failedSteps: ran.length - done.length,
      durationSum: result.duration_ms,
      planningSum: plan.planning_ms,
      tokens,
      confidenceSum: confidences.reduce((sum, value) => sum + value, 0),
      confidences: confidences.length,
    },
  };
}

type Completed = Extract<ToolOutcome, { status: 'completed' }>;

const combination = (names: readonly string[]): string => [...new Set(names)].sort().join('+').slice(0, 1_000);

export function addSums(into: OutcomeSums, more: OutcomeSums): void {
  for (const name of SUM_NAMES) into[name] += more[name];
}

export const noSums = (): OutcomeSums =>
  Object.fromEntries(SUM_NAMES.map((name) => [name, 0])) as unknown as OutcomeSums;

export const rowId = ({ queryClass, tools, planner, arm, day }: OutcomeKey): string =>
  JSON.stringify([queryClass, tools, planner, arm, day]);

/**
 * Score of each tool for one class of questions, by placeholder: the gain of plans with it over plans without it. Old
 * outcomes decay, few outcomes count little, and the score stays within ±0.15.
 */
export function influences(rows: readonly OutcomeRow[], queryClass: string, now: number): ReadonlyMap<string, number> {
  const mine = rows.filter(({ key }) => key.queryClass === queryClass && key.tools !== '');
  const weighed = mine.map(({ key, sums }) => {
    const age = Math.max(0, now - Date.parse(key.day)) / DAY_MS;
    return { tools: key.tools.split('+'), weight: sums.plans * 0.5 ** (age / HALF_LIFE), worth: worthOf(sums) };
  });
  const names = new Set(weighed.flatMap(({ tools }) => tools));
  return new Map([...names].map((name) => [name, influenceOf(name, weighed)]));
}

function influenceOf(name: string, rows: readonly { tools: string[]; weight: number; worth: number }[]): number {
  const mean = (some: typeof rows): { weight: number; worth: number } => {
    const weight = some.reduce((sum, row) => sum + row.weight, 0);
    const total = some.reduce((sum, row) => sum + row.weight * row.worth, 0);
    return { weight, worth: (total + PRIOR * NEUTRAL) / (weight + PRIOR) };
  };
  const having = mean(rows.filter(({ tools }) => tools.includes(name)));
  const lacking = mean(rows.filter(({ tools }) => !tools.includes(name)));
  return Math.min(Math.max(STRENGTH * (having.worth - lacking.worth), -MOST_INFLUENCE), MOST_INFLUENCE);
}

/** 0..1: steps that worked, and how sure the tools were of what they found. */
function worthOf({ steps, failedSteps, confidenceSum, confidences }: OutcomeSums): number {
  const worked = steps === 0 ? NEUTRAL : 1 - failedSteps / steps;
  return worked * (0.4 + 0.6 * (confidences === 0 ? NEUTRAL : confidenceSum / confidences));
}
