import { OperatorError } from '@bellwether/kernel';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger as Pino } from 'pino';
import { AppModule } from './app.module';
import { type Override, withOverrides } from './app.overrides';
import { setUpApp } from './app.setup';
import { type BootstrapReport, BootstrapService } from './auth';
import { StreamsInFlight } from './answering';
import { DemoSeeder } from './assistants/demo';
import { Lifecycle, MetricsServer } from './health';
import { Admission } from './infrastructure/admission';
import { AuditChainWriter } from './infrastructure/audit';
import type { Config } from './infrastructure/config';
import { JobQueue } from './infrastructure/jobs';
import { StructuredLogger } from './infrastructure/telemetry';

export interface RunningService {
  readonly app: NestExpressApplication;
  /** Origin with the actual port. */
  readonly url: string;
  /** Null without `METRICS_PORT`. */
  readonly metricsPort: number | null;
  readonly bootstrap: BootstrapReport;
  /** Id of the demo's assistant to try first; null without a demo. */
  readonly demoAssistant: number | null;
  /** Refuses new work, lets open streams finish within `limitMs`, ends the rest with an error frame and closes. */
  stop(limitMs?: number): Promise<void>;
}

/** Milliseconds before a busy connection is cut after its stream has ended. */
const LINGER_MS = 1_000;

function originOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const name = ['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host) ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Limit of closing, which writes open work; it matters while the database is away. */
const CLOSE_MS = 5_000;

async function within(limitMs: number, what: string, work: Promise<void>): Promise<void> {
  const log = new Logger('Shutdown');
  const timer = new AbortController();
  const late = sleep(limitMs, undefined, { signal: timer.signal }).then(
    () => log.warn({ msg: 'a step of the shutdown took too long', what, limit_ms: limitMs }),
    () => undefined,
  );
  const done = work.catch((error: unknown) => log.warn({ msg: 'failed while the service stopped', what, err: error }));
  await Promise.race([done, late]);
  timer.abort();
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), LINGER_MS);
  await closed;
  clearTimeout(cut);
}

const PORT_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another program',
  EACCES: 'may not be opened by this user',
  EADDRNOTAVAIL: 'is no address of this machine (HOST)',
};

/** @throws {OperatorError} when the port of a variable cannot be opened. */
async function assertFree(variable: string, port: number | null, host: string): Promise<void> {
  if (port === null || port === 0) return;
  const probe = createServer();
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(port, host, resolve)).catch(
    (error: NodeJS.ErrnoException) => {
      const problem = PORT_PROBLEMS[error.code ?? ''] ?? `cannot be opened (${error.message})`;
      throw new OperatorError(`${host}:${port} ${problem}. Set ${variable} to a free port.`, { cause: error });
    },
  );
  await new Promise((resolve) => probe.close(resolve));
}

/** @throws {OperatorError} when the embedded database could not be written. */
function assertWritable(dataDir: string): void {
  const file = join(dataDir, `.probe-${process.pid}`);
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(file, 'x');
    rmSync(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const problem =
      code === 'ENOSPC' ? 'its disk is full. Free some space and start again' : `${message}. Set DATA_DIR`;
    throw new OperatorError(`${dataDir} cannot be written to: ${problem}.`, { cause: error });
  }
}

/** Builds, migrates, seeds and listens; for the server and for programs that embed it. */
export async function serve(
  config: Config,
  logger: Pino,
  overrides: readonly Override[] = [],
): Promise<RunningService> {
  const { database, http, metrics } = config;
  const module = await AppModule.of(config, { overrides, schema: 'migrate' });
  await assertFree('PORT', http.port, http.host);
  await assertFree('METRICS_PORT', metrics.port, http.host);
  if (database.url === null) assertWritable(database.dataDir);
  const app = await withOverrides(module, overrides, () =>
    NestFactory.create<NestExpressApplication>(module, {
      bodyParser: false,
      abortOnError: false,
      // The caller reports why a start failed; Nest would log the same error with its stack.
      logger: new StructuredLogger(logger, { ...config.log.modules, ExceptionHandler: 'silent' }),
    }),
  );
  try {
    setUpApp(app, logger);
    const bootstrap = await app.get(BootstrapService).run();
    const jobs = app.get(JobQueue);
    await jobs.start();
    app.get(AuditChainWriter).start();
    const demoAssistant = config.bootstrap.seedDemo ? await app.get(DemoSeeder).seed(bootstrap) : null;
    await app.listen(config.http.port, config.http.host);
    const metricsPort = await app.get(MetricsServer).listen();
    const lifecycle = app.get(Lifecycle);
    lifecycle.serving();
    const server = app.getHttpServer();
    const stop = async (limitMs = config.http.shutdownTimeoutMs): Promise<void> => {
      lifecycle.draining();
      const jobsStopped = jobs.stop(limitMs);
      const drained = app.get(StreamsInFlight).drain(limitMs);
      app.get(Admission).refuseWaiting();
      await drained;
      await closeServer(server);
      await within(CLOSE_MS, 'jobs', jobsStopped);
      await within(CLOSE_MS, 'application', app.close());
    };
    return { app, url: originOf(server, config.http.host), metricsPort, bootstrap, demoAssistant, stop };
  } catch (error) {
    await app.close();
    throw error;
  }
}
