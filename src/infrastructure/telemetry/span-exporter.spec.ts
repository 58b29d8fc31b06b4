import { once } from 'node:events';
import { type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Span } from '../context';
import { MetricRegistry } from './metric-registry';
import { SpanExporter, TraceMetrics } from './span-exporter';

/** A backend whose answers the test gives. */
class Backend {
  readonly bodies: string[] = [];
  private readonly held: ServerResponse[] = [];
  private arrived: () => void = () => undefined;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Backend> {
    const server = createServer();
    const backend = new Backend(server);
    server.on('request', (request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.on('end', () => {
        backend.bodies.push(body);
        backend.held.push(response);
        backend.arrived();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return backend;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async next(): Promise<ServerResponse> {
    if (this.held.length === 0) await new Promise<void>((resolve) => (this.arrived = resolve));
    return this.held.shift() as ServerResponse;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

describe('the exporter of spans', () => {
  let backend: Backend;
  let registry: MetricRegistry;
  let exporter: SpanExporter;

  beforeEach(async () => {
    backend = await Backend.start();
    registry = new MetricRegistry();
    const options = { service: 'bellwether', version: '1', instance: 'i', contents: false };
    const headers = { authorization: 'Basic canary' };
    exporter = new SpanExporter({ endpoint: backend.endpoint, headers, ...options }, new TraceMetrics(registry));
  });
  afterEach(async () => {
    await exporter.close();
    await backend.close();
  });

  const finish = (count: number, attributes = {}): void => {
    for (let n = 0; n < count; n += 1) Span.root(exporter, { name: 's', kind: 'internal', attributes }, null).end();
  };
  const counted = async (outcome: string): Promise<number> =>
    Number(new RegExp(`outcome="${outcome}"} (\\d+)`).exec(await registry.scrape('prometheus'))?.[1] ?? 0);
  const spansIn = (body = ''): unknown[] => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans as unknown[];

  it('sends full batches at once, and the rest when it closes', async () => {
    finish(300);
    (await backend.next()).end('{}');
    const closing = exporter.close();
    (await backend.next()).end('{"partialSuccess":{"rejectedSpans":"4"}}');
    await closing;
    expect(backend.bodies.map((body) => spansIn(body).length)).toEqual([256, 44]);
    expect(await counted('exported')).toBe(296);
    expect(await counted('dropped')).toBe(4);
  });

  it('keeps a bounded number of spans while the backend hangs, and drops the others', async () => {
    finish(256);
    const hanging = await backend.next();
    finish(5_000);
    expect(await counted('dropped')).toBe(5_000 - 2_048);
    hanging.end('{}');
    (await backend.next()).end('{}');
    expect(spansIn(backend.bodies[1])).toHaveLength(256);
  });

  it('keeps a bounded number of characters', async () => {
    finish(256);
    await backend.next();
    finish(100, { text: 'x'.repeat(1_000_000) });
    expect(await counted('dropped')).toBe(93);
  });

  it('tries again after an overload and keeps the order, and gives up on a refusal', async () => {
    finish(256);
    (await backend.next()).writeHead(503, { 'retry-after': '0' }).end();
    const again = await backend.next();
    expect(backend.bodies[1]).toBe(backend.bodies[0]);
    again.writeHead(400).end('private words');
    finish(256);
    (await backend.next()).end('{}');
    expect(await counted('dropped')).toBe(256);
  });

  it('ends in time although the backend is away', async () => {
    await backend.close();
    finish(300);
    await exporter.close();
    expect(await counted('dropped')).toBe(300);
    backend = await Backend.start();
  });
});
