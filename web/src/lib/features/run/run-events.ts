import type { Schema } from '$lib/kit/api/client';
import type {
  FileSource,
  KnowledgeBaseSource,
  PlanSummary,
  RubricSource,
  RunEvent as KernelEvent,
  SearchNotice,
  ToldSearch,
} from '@bellwether/kernel';

export type { RunStatus, ToolEvent } from '@bellwether/kernel';
export type Run = Schema<'RunDto'>;

declare module '$lib/app/slots' {
  interface Slots {
    /** Beside the title of a run that ended, for people who may change its assistant. */
    'run.actions': { run: Run };
    /** Beside the title of the list of runs. */
    'runs.actions': { assistantId: number | null; filter: { from: string | null; to: string | null } };
  }
}

export type RunSummary = Schema<'RunSummaryDto'>;
export type Usage = Schema<'RunUsageDto'>;

export type { SearchNotice, ToldSearch };

type Facts<Kind> = Partial<Omit<Kind, 'type'>>;
/** A source of any type; a reader takes the facts that it has. */
export type Source = Pick<KnowledgeBaseSource | RubricSource | FileSource, 'type'> &
  Facts<KnowledgeBaseSource> &
  Facts<RubricSource> &
  Facts<FileSource>;

/** Readers who may not edit the assistant get no reasoning. */
export type Plan = Omit<PlanSummary, 'reasoning'> & { readonly reasoning?: string };
export type PlanStep = Plan['steps'][number];

type PlanReady = Extract<KernelEvent, { type: 'plan.ready' }>;
export type EventBody = Exclude<KernelEvent, PlanReady> | (Omit<PlanReady, 'reasoning'> & Plan);

/** `seq` counts from 1 within the run without gaps; `at` is ISO 8601 UTC. */
export type RunEvent = EventBody & { readonly run_id: string; readonly seq: number; readonly at: string };

export const isTerminal = ({ type }: Pick<RunEvent, 'type'>): boolean =>
  type === 'run.completed' || type === 'run.failed' || type === 'run.cancelled';
