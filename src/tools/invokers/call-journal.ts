import { Logger } from '@nestjs/common';
import type { CallTrace } from '../calls/call.types';
import { causeOf, traceOf } from '../calls/describe-failure';
import type { Invocation, ToolFailureCode } from '../contract';
import type { ToolMetrics } from '../statistics/tool.metrics';
import type { ToolStatistics } from '../statistics/tool-statistics';

/** Failures that say nothing about the tool: it was not asked, or its owner or the model asked for the impossible. */
const NOT_COUNTED: ReadonlySet<ToolFailureCode> = new Set([
  'tool.unknown',
  'tool.config_invalid',
  'tool.config_incomplete',
  'tool.arguments_invalid',
  'tool.inaccessible',
  'tool.cancelled',
  'tool.unavailable',
  'tool.limit',
]);

export interface JournalledFailure {
  readonly code: ToolFailureCode;
  readonly error: unknown;
  /** Adds the stack frames of the error. */
  readonly unexpected: boolean;
}

interface CountedEnd {
  /** null for a call that completed. */
  readonly code: ToolFailureCode | null;
  readonly confidence: number | null;
  readonly fellBack: boolean;
}

export const elapsedMs = (startedAt: number): number => Math.round((performance.now() - startedAt) * 100) / 100;

/** Logs failed calls and counts calls. */
export class CallJournal {
  private readonly logger: Logger;

  constructor(
    private readonly kind: 'tool' | 'function',
    private readonly statistics: ToolStatistics | null,
    private readonly metrics: ToolMetrics,
  ) {
    this.logger = new Logger(`${kind === 'tool' ? 'Tool' : 'Function'}Invoker`);
  }

  /** Logs ids, names and numbers only: a message may quote content. */
  logFailure(
    { runId, owner, assistantId }: Pick<Invocation, 'runId' | 'owner' | 'assistantId'>,
    called: { readonly index: number; readonly tool: string; readonly placeholder?: string | null; function?: string },
    { startedAt, retries, bounded }: Pick<CallTrace, 'startedAt' | 'retries' | 'bounded'>,
    { code, error, unexpected }: JournalledFailure,
  ): void {
    if (code === 'tool.cancelled') return;
    this.logger.warn({
      msg: `${this.kind} failed`,
      run_id: runId,
      organization_id: owner.organizationId,
      assistant_id: assistantId,
      ...called,
      code,
      ...causeOf(error),
      duration_ms: elapsedMs(startedAt),
      retries,
      ...(bounded === null ? {} : { bounded }),
      ...(unexpected ? { trace: traceOf(error) } : {}),
    });
  }

  /** `counted` is the name in the statistics of the organization. */
  count(
    organizationId: string,
    { plugin, counted }: { readonly plugin: string; readonly counted: string },
    { startedAt, retries, cached, tryMs }: Pick<CallTrace, 'startedAt' | 'retries' | 'cached' | 'tryMs'>,
    { code, confidence, fellBack }: CountedEnd,
  ): void {
    this.metrics.called(plugin, this.kind, performance.now() - startedAt, retries, code);
    if (code !== null && NOT_COUNTED.has(code)) return;
    const durationMs = code === null ? tryMs : null;
    this.statistics?.record(organizationId, counted, {
      failed: code !== null,
      retries,
      cached,
      fellBack,
      durationMs,
      confidence,
    });
  }
}
