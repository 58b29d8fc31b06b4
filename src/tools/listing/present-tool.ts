import type { DisplayTexts, Evidence, ToolDefinition, ToolRole } from '../contract';
import type { ToolStats } from '../statistics/tool-counts.types';

/** A tool as the catalogue routes show it. `stats` holds null until calls are counted: nothing is invented. */
export type PresentedTool = Omit<ToolDefinition, 'aliases' | 'material_search'> & {
  readonly texts: DisplayTexts;
  readonly role: ToolRole;
  readonly evidence: Evidence;
  readonly stats: {
    readonly calls: number | null;
    readonly failure_rate: number | null;
    readonly avg_ms: number | null;
    readonly p95_ms: number | null;
    readonly confidence: number | null;
  };
};

const NOTHING_COUNTED = { calls: null, failure_rate: null, avg_ms: null, p95_ms: null, confidence: null };

export const presentTool = (
  { aliases: _, material_search: __, texts, role = 'other', evidence = 'found', ...definition }: ToolDefinition,
  counted: ToolStats | null = null,
): PresentedTool => ({
  ...definition,
  texts: { en: { name: definition.display_name, about: definition.description }, ...texts },
  role,
  evidence,
  stats: counted === null ? NOTHING_COUNTED : figuresOf(counted),
});

const figuresOf = ({ calls, failure_rate, avg_ms, p95_ms, confidence }: ToolStats): PresentedTool['stats'] => ({
  calls,
  failure_rate,
  avg_ms,
  p95_ms,
  confidence,
});
