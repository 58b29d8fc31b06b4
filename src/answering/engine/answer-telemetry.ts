import { textOf } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { type Span, type Trail, currentSpan, withTrail } from '../../infrastructure/context';
import { DURATIONS, MetricRegistry, Tracer, gauge, histogram } from '../../infrastructure/telemetry';
import { StreamsInFlight } from '../admission/streams-in-flight';
import type { AnswerEnd, Completion } from '../completion.types';

export const COMPLETION_DURATION = histogram({
  name: 'gen_ai_invoke_agent_duration_seconds',
  help: 'Duration of answers of assistants, called assistants included. error_type is empty for answers that succeeded.',
  labels: ['assistant_type', 'mode', 'error_type'],
  buckets: DURATIONS,
});
export const FIRST_TOKEN = histogram({
  name: 'bellwether_completion_time_to_first_token_seconds',
  help: 'Time from the start of a streamed answer to the first words of the model.',
  labels: ['assistant_type'],
  buckets: DURATIONS,
});
export const PREPARATION = histogram({
  name: 'bellwether_completion_preparation_seconds',
  help: 'Time from the start of an answer until its prompt was filled, all tools included.',
  labels: ['assistant_type'],
  buckets: DURATIONS,
});
export const ACTIVE_COMPLETIONS = gauge({
  name: 'bellwether_completions_active',
  help: 'Answers of assistants that are being made, called assistants and background runs included.',
  labels: [],
});

/** Measures answers of assistants. */
@Injectable()
export class CompletionMetrics {
  private readonly durations;
  private readonly firstTokens;
  private readonly preparations;

  constructor(registry: MetricRegistry, inFlight: StreamsInFlight) {
    this.durations = registry.histogram(COMPLETION_DURATION);
    this.firstTokens = registry.histogram(FIRST_TOKEN);
    this.preparations = registry.histogram(PREPARATION);
    registry.gauge(ACTIVE_COMPLETIONS, () => [[[], inFlight.size]]);
  }

  ended({ assistant, request, run }: Completion, { record }: AnswerEnd): void {
    const { type } = assistant.document;
    const mode = run.background ? 'background' : request.stream ? 'stream' : 'whole';
    const code = record.status === 'completed' ? '' : (record.errorCode ?? record.status);
    this.durations.at(type, mode, code).observe((performance.now() - run.startedMono) / 1e3);
    const { preparedMs, firstTokenMs } = record;
    if (preparedMs !== null && preparedMs !== undefined) this.preparations.at(type).observe(preparedMs / 1e3);
    if (request.stream && firstTokenMs !== null && firstTokenMs !== undefined)
      this.firstTokens.at(type).observe(firstTokenMs / 1e3);
  }
}

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
