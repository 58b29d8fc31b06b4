import { durationText } from '$lib/kit/i18n/durations';
import { i18n, t } from '$lib/kit/i18n/i18n.svelte';
import { strategyName } from '$lib/features/strategies/known-strategies.svelte';
import type { Run, RunSummary } from './run-events';
import type { ToolNames } from './tool-names.svelte';

export interface FigureRow {
  readonly key: string;
  readonly label: string;
  readonly first: string;
  readonly second: string;
  readonly difference: string;
}

const NOTHING = '–';

const numberText = (value: number | null): string => (value === null ? NOTHING : i18n.number(value));

function signed(first: number | null, second: number | null, text: (value: number) => string): string {
  if (first === null || second === null || first === second) return '';
  return `${second > first ? '+' : '−'}${text(Math.abs(second - first))}`;
}

type Figure = (run: RunSummary) => number | null;

const times: readonly (readonly [string, () => string, Figure])[] = [
  ['total', () => t('runs.total'), ({ timings }) => timings.total_ms],
  ['prepared', () => t('runs.prepared'), ({ timings }) => timings.prepared_ms],
  ['first_token', () => t('runs.first_token'), ({ timings }) => timings.first_token_ms],
];

function toolRows(first: Run, second: Run, names: ToolNames): readonly FigureRow[] {
  const keyOf = ({ index, placeholder, step }: Run['tools'][number]): string => `${placeholder ?? index}${step ?? ''}`;
  const all = new Map([...first.tools, ...second.tools].map((tool) => [keyOf(tool), tool]));
  return [...all].map(([key, tool]) => {
    const of = (run: Run): number | null => run.tools.find((one) => keyOf(one) === key)?.duration_ms ?? null;
    const label = `${names.ofTool(tool)}${tool.placeholder === null ? '' : ` {${tool.placeholder}}`}`;
    return timeRow(`tool-${key}`, label, of(first), of(second));
  });
}

const timeRow = (key: string, label: string, first: number | null, second: number | null): FigureRow => ({
  key,
  label,
  first: durationText(first),
  second: durationText(second),
  difference: signed(first, second, durationText),
});

const textRow = (key: string, label: string, first: string | null, second: string | null): FigureRow => ({
  key,
  label,
  first: first ?? NOTHING,
  second: second ?? NOTHING,
  difference: '',
});

const strategyOf = ({ strategy }: Run): string | null => (strategy === null ? null : strategyName(strategy));

/** Figures of two runs side by side; the difference is what the second needed more. */
export function figuresOf(first: Run, second: Run, names: ToolNames): readonly FigureRow[] {
  const tokens: Figure = ({ usage }) => usage?.total_tokens ?? null;
  return [
    textRow('strategy', t('runs.strategy'), strategyOf(first), strategyOf(second)),
    textRow('model', t('runs.model'), first.model, second.model),
    ...times.map(([key, label, of]) => timeRow(key, label(), of(first), of(second))),
    ...toolRows(first, second, names),
    {
      key: 'tokens',
      label: t('runs.total_tokens'),
      first: numberText(tokens(first)),
      second: numberText(tokens(second)),
      difference: signed(tokens(first), tokens(second), (value) => i18n.number(value)),
    },
  ];
}
