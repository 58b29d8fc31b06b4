import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { otlpProblems } from './otlp-shape';

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly start: bigint;
  readonly end: bigint;
  readonly error: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
}

type Answer = (response: ServerResponse) => void;

interface WireSpan extends Omit<CollectedSpan, 'attributes' | 'start' | 'end' | 'error'> {
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

/** An OTLP backend that refuses what is no OTLP. */
export interface Collector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  readonly requests: readonly IncomingMessage[];
  /** Everything that was sent. */
  text(): string;
  /** How the next requests are answered; null for success. */
  answer(how: Answer | null): void;
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const requests: IncomingMessage[] = [];
  let text = '';
  let answer: Answer | null = null;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString('utf8')));
    request.on('end', () => {
      requests.push(request);
      if (answer !== null) return answer(response);
      const parsed: unknown = JSON.parse(body);
      const problems = otlpProblems(parsed);
      const isRight = request.method === 'POST' && request.url?.endsWith('/v1/traces') === true;
      if (!isRight || problems.length > 0) return response.writeHead(400).end(JSON.stringify(problems));
      text += body;
      spans.push(...spansIn(parsed));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"partialSuccess":{}}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/otel`,
    spans,
    requests,
    text: () => text,
    answer: (how) => (answer = how),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function spansIn(body: unknown): CollectedSpan[] {
  const { resourceSpans } = body as { resourceSpans: { scopeSpans: { spans: WireSpan[] }[] }[] };
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map(({ startTimeUnixNano, endTimeUnixNano, attributes, status, ...span }) => ({
      ...span,
      start: BigInt(startTimeUnixNano),
      end: BigInt(endTimeUnixNano),
      error: status.code === 2 ? (status.message ?? '') : null,
      attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
    }));
}
