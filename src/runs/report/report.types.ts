import type { Source } from '../../kernel';

export interface ReportTool {
  /** From 0; the Markdown counts from 1, as spec 000 §3.4.5 does. */
  readonly index: number;
  readonly plugin: string;
  readonly placeholder: string | null;
  readonly enabled: boolean;
  readonly config: unknown;
}

export interface ReportResult {
  readonly index: number;
  readonly plugin: string;
  readonly placeholder: string | null;
  readonly status: 'completed' | 'failed' | 'skipped';
  /** UTF-16 units of the whole content, whatever the preview holds. */
  readonly chars: number;
  /** Number of sources. */
  readonly sources: number;
  readonly duration_ms: number;
  /** The content itself; `shapeReport` cuts it. */
  readonly preview: string;
  /** What was asked instead of the user's message. */
  readonly query?: string;
  readonly code?: string;
  readonly message?: string;
}

export interface ReportMessage {
  readonly role: string;
  readonly content: string;
}

/**
 * What one run did, for those who may edit the assistant (spec 000 §3.4.5). Pipelines hand it over with whole texts
 * (only references, nothing is copied); `shapeReport` cuts and redacts it before anyone sees or stores it.
 */
export interface RunReport {
  /** ISO 8601 UTC. */
  readonly created_at: string;
  readonly orchestrator: string | null;
  readonly assistant: { readonly id: number; readonly name: string; readonly type: 'classic' | 'multi_tool' };
  readonly request: { readonly user_message: string; readonly stream: boolean };
  readonly tools: readonly ReportTool[];
  readonly results: readonly ReportResult[];
  readonly sources: readonly Source[];
  /** Build them with `reportMessage`, which is safe for list content and images. */
  readonly messages: readonly ReportMessage[];
  readonly warnings: readonly string[];
}

/** A report after cutting: the sources and messages that were left out are counted. */
export interface ShapedReport extends RunReport {
  readonly totals: { readonly sources: number; readonly messages: number };
}
