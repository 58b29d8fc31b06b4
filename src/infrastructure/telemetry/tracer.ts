import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger as Pino } from 'pino';
import { CONFIG, type Config, serviceVersion } from '../config';
import { Span, type SpanContext, type SpanOptions, addToTrail, readTraceparent } from '../context';
import { SpanExporter, TraceMetrics } from './span-exporter';

/** Parts of an address after which a credential stands: of a sign-in, a launch or a registration. Proxies may send an absolute URL (RFC 9112 §3.2.2). */
const CREDENTIAL = /(\/(?:sign-in|lti\/(?:open|arrival|register))\/).+/i;

/** A path without credentials, and without its query, which may hold typed text. */
export const loggedPath = (url: string): string => (url.split('?', 1)[0] ?? '').replace(CREDENTIAL, '$1…');

type Handler = (request: IncomingMessage & { id?: unknown }, response: ServerResponse, next: () => void) => void;

const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/;

/** A well-formed `X-Request-Id` of the client, else a new id. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Told of every request, whatever its end. */
export interface RequestObserver {
  /** Called after the request has its id. */
  began(request: IncomingMessage): void;
  ended(request: IncomingMessage, response: ServerResponse, durationMs: number): void;
}

/** Gives every request an id, sent in the answer. Logs each answer as `debug`, or `error` from 500 on. */
export const requestLog =
  (logger: Pino, observers: readonly RequestObserver[]): Handler =>
  (request, response, next) => {
    const id = requestIdOf(request);
    const path = loggedPath(request.url ?? '');
    request.id = id;
    const traceId = readTraceparent(request.headers['traceparent'])?.traceId ?? null;
    addToTrail({ requestId: id, traceId });
    response.setHeader('X-Request-Id', id);
    const started = performance.now();
    for (const observer of observers) observer.began(request);
    response.once('close', () => {
      for (const observer of observers) observer.ended(request, response, performance.now() - started);
      // A response with Retry-After is a refusal, which is logged where it was decided.
      const failed = response.statusCode >= 500 && !response.hasHeader('Retry-After');
      if (!failed && !logger.isLevelEnabled('debug')) return;
      logger[failed ? 'error' : 'debug']({
        msg: response.writableFinished ? 'answered' : 'client left',
        request_id: id,
        ...(traceId === null ? {} : { trace_id: traceId }),
        method: request.method,
        path,
        status: response.statusCode,
        ms: Math.round(performance.now() - started),
      });
    });
    next();
  };

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
