import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../infrastructure/config';
import { MetricRegistry } from '../infrastructure/telemetry';
import { contentTypeOf, formatFor, mayScrape } from './metrics.controller';

/** Scrapers need few: more would be an attack on the port. */
const MOST_CONNECTIONS = 32;
const REQUEST_TIMEOUT_MS = 10_000;

/** Serves `GET /metrics` on `METRICS_PORT`, which stays open while the service drains. */
@Injectable()
export class MetricsServer implements OnApplicationShutdown {
  private readonly logger = new Logger('Metrics');
  private server: Server | null = null;

  constructor(
    private readonly registry: MetricRegistry,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Does nothing without `METRICS_PORT`. Resolves with the port. */
  async listen(): Promise<number | null> {
    const { metrics, http } = this.config;
    if (metrics.port === null) return null;
    const server = createServer((request, response) => void this.answer(request, response));
    server.maxConnections = MOST_CONNECTIONS;
    server.headersTimeout = REQUEST_TIMEOUT_MS;
    server.requestTimeout = REQUEST_TIMEOUT_MS;
    this.server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(metrics.port ?? 0, http.host, resolve);
    });
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : metrics.port;
    this.logger.log({ msg: 'metrics are served', port });
    return port;
  }

  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private async answer({ method, url, headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (url?.split('?', 1)[0] !== '/metrics') return refuse(response, 404);
    if (method !== 'GET' && method !== 'HEAD') return refuse(response, 405);
    if (!mayScrape(this.config.metrics.token, headers.authorization)) return refuse(response, 401);
    const format = formatFor(headers.accept);
    try {
      const text = await this.registry.scrape(format);
      response.writeHead(200, { 'Content-Type': contentTypeOf(format), 'Cache-Control': 'no-store' });
      response.end(method === 'HEAD' ? undefined : text);
    } catch (error) {
      this.logger.error({ msg: 'metrics could not be written', err: error });
      refuse(response, 500);
    }
  }
}

function refuse(response: ServerResponse, status: number): void {
  const challenge = status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', ...challenge }).end();
}
