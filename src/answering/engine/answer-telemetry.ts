import { textOf } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { type Span, type Trail, currentSpan, withTrail } from '../../infrastructure/context';
import { Tracer } from '../../infrastructure/telemetry';
import type { AnswerEnd, Completion } from '../completion.types';
import { CompletionMetrics } from './completion.metrics';

/** Characters of the question in a span. */
const MOST_CHARS = 16_000;

/** Measures and traces answers. */
@Injectable()
export class AnswerTelemetry {
  constructor(
    private readonly metrics: CompletionMetrics,
    private readonly tracer: Tracer,
  ) {}

  /** Log lines and spans of `work` belong to the run. */
  within<T>({ run }: Completion, work: () => T): T {
    const requestId = run.input.caller.origin?.requestId;
    const trail: Partial<Trail> = requestId === undefined ? { runId: run.id } : { runId: run.id, requestId };
    const span = this.spanOf(run);
    return withTrail(span === null ? trail : { ...trail, span, traceId: span.traceId }, work);
  }

  ended(completion: Completion, end: AnswerEnd): void {
    this.metrics.ended(completion, end);
    const span = currentSpan();
    if (span !== null) closeSpan(span, completion, end);
  }

  /** A background run has no request around it. */
  private spanOf(run: Completion['run']): Span | null {
    const parent = currentSpan();
    if (parent === null && !(run.background && this.tracer.isOn)) return null;
    const { assistant, strategy, parentRunId, caller } = run.input;
    const attributes = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': String(assistant.id),
      'bellwether.run_id': run.id,
      'bellwether.request_id': caller.origin?.requestId,
      'bellwether.parent_run_id': parentRunId,
      'bellwether.organization_id': assistant.organizationId,
      'bellwether.assistant_type': assistant.type,
      'bellwether.strategy': strategy,
    };
    const options = { name: 'invoke_agent', kind: 'internal', attributes } as const;
    return parent === null ? this.tracer.root(options) : parent.child(options);
  }
}

function closeSpan(span: Span, { request }: Completion, { record }: AnswerEnd): void {
  const { usage, finishReason, status, errorCode, firstTokenMs, preparedMs } = record;
  span.set({
    'gen_ai.usage.input_tokens': usage?.prompt_tokens,
    'gen_ai.usage.output_tokens': usage?.completion_tokens,
    'gen_ai.response.finish_reasons': finishReason === null || finishReason === undefined ? null : [finishReason],
    'bellwether.prepared_ms': preparedMs,
    'bellwether.first_token_ms': firstTokenMs,
  });
  if (span.capturesContents) {
    const messages = request.messages.map(({ role, content }) => {
      const text = typeof content === 'string' ? content : textOf(content);
      return { role, parts: [{ type: 'text', content: text.slice(0, MOST_CHARS) }] };
    });
    span.set({ 'gen_ai.input.messages': JSON.stringify(messages.slice(-1)) });
  }
  if (status !== 'completed') span.fail(errorCode ?? status);
  span.end();
}
