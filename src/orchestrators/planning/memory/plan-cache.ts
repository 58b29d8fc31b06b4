import { atMostFor } from '@bellwether/kernel';
import { LRUCache } from 'lru-cache';
import type { ToolPlan } from '../planning.types';
import { termsOf } from '../tool-profile';

const MAX_KEYS = 1_000;
const MAX_QUESTIONS = 24;
const TTL_MS = 600_000;
/** Share of the weight of two questions' words that both have. */
const ALIKE = 0.8;

interface Kept {
  readonly plan: ToolPlan;
  readonly question: string;
  readonly words: string;
  readonly stems: ReadonlyMap<string, number>;
  readonly exact: string;
}

/**
 * Cached plans for similar questions. A plan with sub-queries serves only the same words again. The key holds
 * everything that must be equal: organization, assistant, its version, the catalogue, the planner and the class of
 * the question.
 */
export class PlanCache {
  private readonly plans: LRUCache<string, Kept[]>;

  constructor(ttlMs = TTL_MS, maxKeys = MAX_KEYS) {
    this.plans = new LRUCache(atMostFor(maxKeys, ttlMs));
  }

  /** The cached plan, with this question in place of the first one. */
  find(key: string, question: string): ToolPlan | null {
    const kept = this.plans.get(key);
    if (kept === undefined) return null;
    const asked = read(question);
    const same = kept.find(({ words }) => words === asked.words);
    if (same !== undefined) return withQuestion(same, question);
    const near = kept.find((each) => each.exact === asked.exact && isWhole(each) && alike(each.stems, asked.stems));
    return near === undefined ? null : forOther(near, question);
  }

  keep(key: string, question: string, plan: ToolPlan): void {
    const kept = this.plans.get(key) ?? [];
    const entry = { plan, question, ...read(question) };
    const others = kept.filter(({ words }) => words !== entry.words);
    this.plans.set(key, [entry, ...others].slice(0, MAX_QUESTIONS));
  }
}

function read(question: string): Pick<Kept, 'words' | 'stems' | 'exact'> {
  const stems = new Map(termsOf(question).map(({ stem, weight }) => [stem, weight]));
  // Questions of the same words still differ in names, codes, numbers and quotations.
  const exact = (question.match(/["“«][^"“”«»]+["”»]|\d+(?:[.,]\d+)*|(?<=\p{Ll}\s)\p{Lu}[\p{L}\d-]+/gu) ?? []).join(
    ' ',
  );
  const words = question
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<![\s?.!])[\s?.!]+$/u, '');
  return { words, stems, exact: exact.toLowerCase() };
}

const isWhole = ({ plan, question }: Kept): boolean => plan.steps.every(({ query }) => query === question);

function alike(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean {
  let shared = 0;
  let all = 0;
  for (const [stem, weight] of one) {
    all += weight;
    if (other.has(stem)) shared += weight;
  }
  for (const [stem, weight] of other) if (!one.has(stem)) all += weight;
  return all > 0 && shared / all >= ALIKE;
}

const withQuestion = ({ plan, question: before }: Kept, question: string): ToolPlan => ({
  ...plan,
  steps: plan.steps.map((step) => (step.query === before ? { ...step, query: question } : step)),
  decomposition: {
    ...plan.decomposition,
    sub_queries: plan.decomposition.sub_queries.map((part) =>
      part.text === before ? { ...part, text: question } : part,
    ),
  },
});

/** The planner's reasoning may quote the first question, so it is replaced. */
const forOther = ({ plan }: Kept, question: string): ToolPlan => ({
  ...plan,
  steps: plan.steps.map((step) => ({ ...step, query: question })),
  decomposition: { ...plan.decomposition, sub_queries: [{ id: 'q1', text: question, dependencies: [] }] },
  reasoning: 'A question of nearly the same words was planned before.',
});
