import { isJsonObject, type JsonObject } from '../../../kernel';
import { cleanText } from '../../../tools';
import type { Draft, DraftStep } from '../plan/draft.types';
import { nameOf, plannable } from './model-question';
import { type Decomposition, QUERY_TYPES, type SubQuery } from '../plan/planning.types';
import type { ToolFacts } from '../selection/tool-facts';

const QUERY_CHARS = 500;
const REASONING_CHARS = 1_000;
const MAX_PARTS = 12;

export interface Reading {
  readonly query: string;
  readonly tools: readonly ToolFacts[];
  readonly maxSteps: number;
  /** The default, for plans without a decomposition of their own. */
  readonly decomposition: Decomposition;
  /** Number of problems of the tool's config once the plan's settings are merged into it. */
  readonly problemsOf: (facts: ToolFacts, config: JsonObject) => number;
}

/**
 * Reads a model's plan as untrusted input. Unknown tools, forbidden settings and dependencies on missing steps are
 * dropped, each kind with one warning. The builder removes cycles.
 */
export function readModelPlan(answer: unknown, reading: Reading): Draft {
  const given = isJsonObject(answer) ? answer : {};
  const dropped = new Dropped();
  const raw = (Array.isArray(given['steps']) ? given['steps'] : []).filter(isJsonObject);
  const ids = new Map<string, string>();
  const picked = raw.flatMap((step, at) => {
    const facts = toolOf(step['tool'], reading.tools);
    if (facts === null) dropped.count('steps for tools that the assistant does not have');
    if (facts === null) return [];
    const id = `m${at + 1}`;
    if (typeof step['id'] === 'string' && !ids.has(step['id'])) ids.set(step['id'], id);
    return [{ id, facts, step }];
  });
  const kept = picked.slice(0, reading.maxSteps);
  dropped.count(`steps beyond the ${reading.maxSteps} that a plan may have`, picked.length - kept.length);
  const known = new Set(kept.map(({ id }) => id));
  const steps = kept.map(({ id, facts, step }): DraftStep => {
    const after = textsOf(step['depends_on']).map((name) => ids.get(name) ?? '');
    const there = after.filter((before) => known.has(before) && before !== id);
    dropped.count('dependencies on steps that are not there', after.length - there.length);
    return {
      id,
      facts,
      query: queryOf(step, reading.query),
      config: configOf(step, facts, reading, dropped),
      after: there,
    };
  });
  return {
    planner: 'model',
    decomposition: decompositionOf(given, reading.decomposition),
    steps: behindTheOthers(steps),
    reasoning: clean(given['reasoning'], REASONING_CHARS),
    confidence: unit(given['confidence']) ?? 0.5,
    warnings: dropped.warnings(),
    usage: null,
  };
}

class Dropped {
  private readonly counts = new Map<string, number>();

  count(what: string, times = 1): void {
    if (times > 0) this.counts.set(what, (this.counts.get(what) ?? 0) + times);
  }

  warnings = (): string[] =>
    [...this.counts].map(([what, times]) => `Left out of the model's plan: ${what} (${times})`);
}

/** By placeholder, else by name; `vector-search` means `vector_search`. */
function toolOf(name: unknown, tools: readonly ToolFacts[]): ToolFacts | null {
  if (typeof name !== 'string') return null;
  const wanted = name
    .replace(/[{}\s]/g, '')
    .replaceAll('-', '_')
    .toLowerCase();
  const isCalled = ({ definition: { name: own, aliases } }: ToolFacts): boolean =>
    [own, ...aliases].some((each) => each.replaceAll('-', '_') === wanted);
  return tools.find(({ tool }) => nameOf(tool).toLowerCase() === wanted) ?? tools.find(isCalled) ?? null;
}

function queryOf(step: JsonObject, question: string): string {
  const parameters = isJsonObject(step['parameters']) ? step['parameters'] : {};
  const written = clean(step['query'], QUERY_CHARS) || clean(parameters['query'], QUERY_CHARS);
  return written === '' ? question : written;
}

function configOf(step: JsonObject, facts: ToolFacts, { problemsOf }: Reading, dropped: Dropped): JsonObject {
  const given = isJsonObject(step['parameters']) ? step['parameters'] : {};
  const allowed = plannable(facts.definition.config_schema);
  const config: Record<string, number> = {};
  for (const [name, value] of Object.entries(given)) {
    if (name === 'query' || value === null) continue;
    if (!allowed.includes(name)) dropped.count('settings that a plan may not choose');
    else if (typeof value !== 'number' || problemsOf(facts, { [name]: value }) > problemsOf(facts, {})) {
      dropped.count('settings outside of their range');
    } else config[name] = value;
  }
  return config;
}

/** Steps that join or check results depend on all other steps, even if the model left that out. */
function behindTheOthers(steps: readonly DraftStep[]): readonly DraftStep[] {
  const finding = steps.filter(({ facts }) => facts.role !== 'synthesis' && facts.role !== 'check').map(({ id }) => id);
  const joining = steps.filter(({ facts }) => facts.role === 'synthesis').map(({ id }) => id);
  return steps.map((step) => {
    if (step.facts.role === 'synthesis' && step.after.length === 0) return { ...step, after: finding };
    if (step.facts.role === 'check') return { ...step, after: [...new Set([...step.after, ...finding, ...joining])] };
    return step;
  });
}

function decompositionOf(given: JsonObject, guess: Decomposition): Decomposition {
  const raw = (Array.isArray(given['sub_queries']) ? given['sub_queries'] : [])
    .filter(isJsonObject)
    .slice(0, MAX_PARTS);
  const type = QUERY_TYPES.find((each) => each === given['query_type']) ?? guess.type;
  const earlier = new Set<string>();
  const parts = raw.flatMap((part, at): SubQuery[] => {
    const text = clean(part['text'], QUERY_CHARS);
    const id = clean(part['id'], 20) || `q${at + 1}`;
    if (text === '' || earlier.has(id)) return [];
    const dependencies = textsOf(part['depends_on']).filter((name) => earlier.has(name));
    earlier.add(id);
    return [{ id, text, dependencies }];
  });
  if (parts.length === 0) return { ...guess, type };
  return { type, sub_queries: parts, confidence: unit(given['confidence']) ?? guess.confidence };
}

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? [...new Set(value.filter((each) => typeof each === 'string'))].slice(0, 50) : [];

const clean = (value: unknown, most: number): string =>
  typeof value === 'string' ? cleanText(value.slice(0, most).toWellFormed()).replace(/\s+/g, ' ').trim() : '';

const unit = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(value, 0), 1) : null;
