import type { OrchestratorInfo } from '$lib/app/catalogues/assistant';

/** Facts about a strategy for forms and diagrams. */
export type StrategyRules = Pick<OrchestratorInfo, 'reads' | 'shape'>;
export type Rule = StrategyRules['reads'][number];

/** Settings of tools that only some strategies heed (docs/guide/strategies.md). */
export const RULES: readonly Rule[] = ['depends_on', 'on_dependency_failure', 'when', 'example_questions'];

/** Stands in for a strategy that does not exist, or is not loaded yet: every setting is offered. */
const UNKNOWN: StrategyRules = { reads: [...RULES], shape: { order: 'chain', planned: false } };

export const rulesOf = (strategy: StrategyRules | undefined): StrategyRules => strategy ?? UNKNOWN;

interface Depending {
  readonly placeholder: string | null;
  readonly extra: Readonly<Record<string, unknown>>;
}

export const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

/** Placeholders of tools that wait for `placeholder`, themselves or by others between: it cannot wait for them. */
export function waitingFor(placeholder: string | null, tools: readonly Depending[]): ReadonlySet<string> {
  const waiting = new Set<string>();
  const queue = placeholder === null ? [] : [placeholder];
  for (let awaited = queue.pop(); awaited !== undefined; awaited = queue.pop()) {
    for (const { placeholder: other, extra } of tools) {
      if (other === null || waiting.has(other) || !textsOf(extra['depends_on']).includes(awaited)) continue;
      waiting.add(other);
      queue.push(other);
    }
  }
  return waiting;
}
