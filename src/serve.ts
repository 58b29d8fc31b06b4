import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Server } from 'node:http';
import type { Logger as Pino } from 'pino';
import { AppModule } from './app.module';
import { setUpApp } from './app.setup';
import { Lifecycle } from './health';
import type { Config } from './platform/config';
import { StructuredLogger } from './platform/logging';

export interface RunningService {
  readonly app: NestExpressApplication;
  /** Origin that answers, with the port that was really taken. */
  readonly url: string;
  /** Refuses new work, lets streams in flight finish within the limit, then closes everything. */
  stop(limitMs?: number): Promise<void>;
}

function originOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const name = host === '0.0.0.0' || host === '::' || host === '127.0.0.1' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Builds, migrates, seeds and listens; the server and the tests start the service this way and no other. */
export async function serve(config: Config, logger: Pino): Promise<RunningService> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.of(config, { schema: 'migrate' }), {
    bodyParser: false,
    abortOnError: false,
    bufferLogs: false,
    forceCloseConnections: false,
    logger: new StructuredLogger(logger),
  });
  setUpApp(app, logger);
  const lifecycle = app.get(Lifecycle);
  await app.listen(config.http.port, config.http.host);
  lifecycle.serving();
  const server = app.getHttpServer();

  const stop = async (limitMs = config.http.shutdownTimeoutMs): Promise<void> => {
    lifecycle.draining();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    void limitMs;
    server.closeAllConnections();
    await closed;
    await app.close();
  };
  return { app, url: originOf(server, config.http.host), stop };
}
