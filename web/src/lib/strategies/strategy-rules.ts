/** Settings of tools that only some strategies heed (docs/guide/strategies.md). */
export const RULES = ['depends_on', 'on_dependency_failure', 'when'] as const;
export type Rule = (typeof RULES)[number];

const HEEDED: Readonly<Record<string, readonly Rule[]>> = {
  sequential: [],
  parallel: [],
  dependency: RULES,
  conditional: ['when'],
  planned: ['depends_on'],
};

/** Of a strategy that is not known here every setting is offered. */
export const heeds = (strategy: string, rule: Rule): boolean => (HEEDED[strategy] ?? RULES).includes(rule);

/** Strategies in the order they are explained in; others follow. */
export const STRATEGIES = ['sequential', 'parallel', 'dependency', 'conditional', 'planned'] as const;
export const RECOMMENDED = 'sequential';

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
