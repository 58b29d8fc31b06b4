import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config, serviceVersion } from '../config';
import { Span, type SpanContext, type SpanOptions } from '../context';
import { SpanExporter } from './span-exporter';
import { TraceMetrics } from './trace.metrics';

/** Begins traces, where the operator named a backend for them. Everything below a span continues it by `currentSpan`. */
@Injectable()
export class Tracer implements OnApplicationShutdown {
  private readonly exporter: SpanExporter | null = null;
  private readonly ratio: number;

  constructor(@Inject(CONFIG) { tracing }: Config, metrics: TraceMetrics) {
    const { endpoint, ratio, ...options } = tracing;
    this.ratio = ratio;
    if (endpoint === null) return;
    const process = { version: serviceVersion(), instance: randomUUID() };
    this.exporter = new SpanExporter({ endpoint, ...options, ...process }, metrics);
  }

  get isOn(): boolean {
    return this.exporter !== null;
  }

  /** Spans that were dropped since the backend failed; 0 while it works. */
  get droppedSpans(): number {
    return this.exporter?.droppedSpans ?? 0;
  }

  /** Null when the trace is not recorded: the caller of the service decides, else chance. */
  root(options: SpanOptions, parent: SpanContext | null = null): Span | null {
    if (this.exporter === null) return null;
    const isSampled = parent === null ? Math.random() < this.ratio : parent.sampled;
    return isSampled ? Span.root(this.exporter, options, parent) : null;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.exporter?.close();
  }
}
