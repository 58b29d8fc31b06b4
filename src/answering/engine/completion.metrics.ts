import { Injectable } from '@nestjs/common';
import { DURATIONS, MetricRegistry, gauge, histogram } from '../../infrastructure/telemetry';
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
