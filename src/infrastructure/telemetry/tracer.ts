import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config, serviceVersion } from '../config';
import { Span, type SpanContext, type SpanOptions, addToTrail, readTraceparent } from '../context';
import type { RequestObserver } from './request-log';
import { SpanExporter, TraceMetrics } from './span-exporter';

/** Pages, health checks and scrapes would hide the answers. */
const TRACED = /^\/(?:api|v1|lamb|mcp|auth|scim|lti)(?:\/|$)/;
const SERVER_ERROR = 500;

/** One span for each request of the API, under the caller's own when it sent a `traceparent`. */
export class RequestSpans implements RequestObserver {
  private readonly open = new WeakMap<IncomingMessage, Span>();

  constructor(private readonly tracer: Tracer) {}

  began(request: IncomingMessage & { readonly id?: unknown }): void {
    if (!TRACED.test(request.url ?? '')) return;
    const parent = readTraceparent(request.headers['traceparent']);
    const attributes = { 'http.request.method': request.method, 'bellwether.request_id': String(request.id) };
    const span = this.tracer.root({ name: request.method ?? '', kind: 'server', attributes }, parent);
    if (span === null) return;
    this.open.set(request, span);
    addToTrail({ span, traceId: span.traceId });
  }

  ended(request: IncomingMessage, response: ServerResponse): void {
    const span = this.open.get(request);
    if (span === undefined) return;
    const route = (request as { readonly route?: { readonly path?: unknown } }).route?.path;
    if (typeof route === 'string') {
      span.name = `${request.method ?? ''} ${route}`;
      span.set({ 'http.route': route });
    }
    if (response.headersSent) span.set({ 'http.response.status_code': response.statusCode });
    if (response.statusCode >= SERVER_ERROR) span.fail(String(response.statusCode));
    span.end();
  }
}

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
