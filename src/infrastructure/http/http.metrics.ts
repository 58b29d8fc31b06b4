import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Counter,
  DURATIONS,
  type Family,
  type MetricRegistry,
  type RequestObserver,
  counter,
  gauge,
  histogram,
} from '../telemetry';

export const REQUEST_DURATION = histogram({
  name: 'http_server_request_duration_seconds',
  help: 'Duration of requests by route, until the last byte of the answer: a stream lasts as long as it is open.',
  labels: ['http_request_method', 'http_route', 'http_response_status_code'],
  buckets: DURATIONS,
});
export const ACTIVE_REQUESTS = gauge({
  name: 'http_server_active_requests',
  help: 'Requests that are being answered, streams included.',
  labels: [],
});
export const REFUSED_REQUESTS = counter({
  name: 'bellwether_requests_refused',
  help: 'Requests that rights, limits, an overload or a shutdown refused, by error code.',
  labels: ['error_type'],
});

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** Paths of clients are no label: there are as many as clients like. */
const UNMATCHED = 'unmatched';
/** The client left before the answer began. */
const NO_STATUS = '499';

export type RefusedRequests = Family<readonly ['error_type'], Counter>;

/** Counts requests by the template of their route. */
export class RequestMetrics implements RequestObserver {
  readonly refused: RefusedRequests;
  private readonly durations;
  private active = 0;

  constructor(registry: MetricRegistry) {
    this.durations = registry.histogram(REQUEST_DURATION);
    this.refused = registry.counter(REFUSED_REQUESTS);
    registry.gauge(ACTIVE_REQUESTS, () => [[[], this.active]]);
  }

  began(): void {
    this.active += 1;
  }

  ended(request: IncomingMessage, response: ServerResponse, durationMs: number): void {
    this.active -= 1;
    const method = METHODS.has(request.method ?? '') ? (request.method as string) : '_OTHER';
    const status = response.headersSent ? String(response.statusCode) : NO_STATUS;
    this.durations.at(method, routeOf(request), status).observe(durationMs / 1e3);
  }
}

/** Express sets `route` once a handler matches. */
function routeOf(request: IncomingMessage & { readonly route?: { readonly path?: unknown } }): string {
  const path = request.route?.path;
  return typeof path === 'string' ? path : UNMATCHED;
}
