import type { IncomingMessage, ServerResponse } from 'node:http';
import { addToTrail, readTraceparent, type Span } from '../context';
import type { RequestObserver } from '../logging';
import type { Tracer } from './tracer';

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
