import { Injectable } from '@nestjs/common';
import { counter, MetricRegistry } from './metric-registry';

export const TRACE_SPANS = counter({
  name: 'bellwether_trace_spans',
  help: 'Spans of traces: exported, or dropped because the backend was slow, away or refused them.',
  labels: ['outcome'],
});

@Injectable()
export class TraceMetrics {
  private readonly spans;

  constructor(registry: MetricRegistry) {
    this.spans = registry.counter(TRACE_SPANS);
  }

  ended(outcome: 'exported' | 'dropped', spans: number): void {
    this.spans.at(outcome).inc(spans);
  }
}
