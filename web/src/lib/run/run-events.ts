import type { Schema } from '$lib/api/client';

export type RunStatus = Schema<'RunSummaryDto'>['status'];
export type Run = Schema<'RunDto'>;
export type RunSummary = Schema<'RunSummaryDto'>;
export type Usage = Schema<'RunUsageDto'>;

/** Where content came from (docs/reference/events.md). */
export interface Source {
  readonly type: 'knowledge_base' | 'rubric' | 'file';
  readonly n?: number;
  readonly title?: string;
  readonly url?: string;
  readonly similarity?: number;
  readonly document?: string | null;
  readonly page?: number;
  readonly page_end?: number;
  readonly section?: string;
  readonly knowledge_base?: { readonly id: string; readonly name: string };
  readonly rubric_id?: string;
  readonly format?: string;
  readonly path?: string;
  readonly chars?: number;
  readonly truncated?: boolean;
}

export interface PlanStep {
  readonly id: string;
  readonly index: number;
  readonly plugin: string;
  readonly placeholder: string | null;
  readonly dependencies: readonly string[];
}

export interface Plan {
  readonly planner: string;
  readonly cached: boolean;
  readonly steps: readonly PlanStep[];
  readonly stages: readonly (readonly string[])[];
  /** Left out for those who may not edit the assistant. */
  readonly reasoning?: string;
  readonly confidence: number;
  readonly duration_ms: number;
}

/** Which tool, or with `call` which function that the model called. */
interface ToolRef {
  readonly index: number;
  readonly plugin: string;
  readonly placeholder: string | null;
  readonly call?: { readonly id: string; readonly name: string; readonly round: number };
  readonly step?: string;
}

interface Told {
  readonly message: string;
}

export type ToolEvent = ToolRef &
  Told &
  (
    | { readonly type: 'tool.started' | 'tool.progress' }
    | { readonly type: 'tool.retry'; readonly attempt: number; readonly delay_ms: number }
    | { readonly type: 'tool.skipped'; readonly reason: string }
    | { readonly type: 'tool.failed'; readonly code: string }
    | {
        readonly type: 'tool.completed';
        readonly chars: number;
        readonly sources: number;
        readonly duration_ms: number;
        readonly cached: boolean;
        readonly confidence: number | null;
        readonly retries: number;
        readonly fallback?: string;
      }
  );

export type EventBody =
  | {
      readonly type: 'run.started';
      readonly assistant_type: 'classic' | 'multi_tool';
      readonly strategy: string | null;
    }
  | ({ readonly type: 'run.progress' } & Told)
  | ({ readonly type: 'warning'; readonly code: string } & Told)
  | ToolEvent
  | ({ readonly type: 'plan.ready' } & Plan & Told)
  | { readonly type: 'prompt.ready'; readonly messages: number; readonly chars: number }
  | ({ readonly type: 'answer.checked'; readonly result: Readonly<Record<string, unknown>> } & ToolRef & Told)
  | { readonly type: 'llm.started'; readonly connector: string; readonly model: string; readonly round?: number }
  | { readonly type: 'llm.tool_call'; readonly name: string; readonly round: number }
  | { readonly type: 'llm.delta'; readonly text: string }
  | { readonly type: 'sources'; readonly sources: readonly Source[] }
  | ({ readonly type: 'usage' } & Usage)
  | { readonly type: 'run.completed'; readonly finish_reason: string }
  | { readonly type: 'run.failed'; readonly code: string; readonly message: string }
  | { readonly type: 'run.cancelled'; readonly reason: string };

/** `seq` counts from 1 within the run without gaps; `at` is ISO 8601 UTC. */
export type RunEvent = EventBody & { readonly run_id: string; readonly seq: number; readonly at: string };

export const isTerminal = ({ type }: Pick<RunEvent, 'type'>): boolean =>
  type === 'run.completed' || type === 'run.failed' || type === 'run.cancelled';
