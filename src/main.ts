#!/usr/bin/env node
import 'reflect-metadata';
import { OperatorError } from '@bellwether/kernel';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { configOf } from './app.config';
import { ADMIN_KEY_FILE, SignInLinks } from './auth';
import { vendorsWith } from './connectors';
import { type Config, misspeltVariables } from './infrastructure/config';
import { createPino } from './infrastructure/telemetry';
import { type RunningService, serve } from './serve';

/** Command line of the administrator: a checkout has the script, an image ships the build alone. */
const CLI = existsSync('scripts/cli.mjs') ? 'npm run cli --' : 'bellwether';

function welcome({ url, bootstrap, demoAssistant }: RunningService, config: Config, signIn: string | null): string {
  const file = join(config.database.dataDir, ADMIN_KEY_FILE);
  const lines = [
    `Bellwether answers on ${url}`,
    '',
    `  Sign in             ${signIn === null ? `${CLI} sign-in:link` : `${signIn} (once, within an hour)`}`,
    `  API documentation   ${url}/api/docs`,
  ];
  const isKept = config.bootstrap.adminKey === null && existsSync(file);
  if (config.bootstrap.adminKey !== null) lines.push('  Administrator key   BOOTSTRAP_ADMIN_KEY');
  // A backup does not hold the file.
  else if (!isKept) lines.push(`  Administrator key   not in this folder; another one: ${CLI} keys:create`);
  else {
    const news = bootstrap.adminKeyFile === null ? '' : ' (written now, readable by you only)';
    lines.push(`  Administrator key   ${file}${news}`);
  }
  if (isKept && demoAssistant !== null) {
    lines.push(
      '',
      'Ask the demo assistant:',
      '',
      `  curl -sN ${url}/v1/chat/completions \\`,
      `    -H "Authorization: Bearer $(cat ${file})" -H 'Content-Type: application/json' \\`,
      `    -d '{"model": "lamb_assistant.${demoAssistant}", "stream": true, "messages": [{"role": "user", "content": "Is a mean of 10 minutes typical?"}]}'`,
    );
  }
  return `${lines.join('\n')}\n`;
}

const textOf = (error: unknown): string => {
  if (error instanceof OperatorError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
};

/** Shown at each start until somebody has signed in; a key that the operator chose needs none. */
async function firstSignIn({ app, url, bootstrap }: RunningService, config: Config): Promise<string | null> {
  if (config.bootstrap.adminKey !== null) return null;
  const { organizationId, administratorId: userId } = bootstrap;
  const link = await app.get(SignInLinks).makeFirst({ organizationId, userId });
  return link && new URL(link.path, config.http.publicUrl ?? url).href;
}

function stopOnSignals(service: RunningService, logger: Logger): void {
  let stopping = false;
  const stop = (reason: string, exitCode: number): void => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.info({ reason }, 'stopping');
    service.stop().then(
      () => process.exit(exitCode),
      (error: unknown) => {
        logger.fatal({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => stop('SIGTERM', 0));
  process.on('SIGINT', () => stop('SIGINT', 0));
  // An unawaited promise, such as one of a plugin, is a defect to log: ending the process would drop every stream.
  process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled rejection'));
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'uncaught exception');
    stop('uncaughtException', 1);
  });
}

async function main(): Promise<void> {
  const config = await configOf(process.env);
  const logger = createPino(config.log.level);
  for (const { name, meant } of misspeltVariables(process.env, vendorsWith(config.plugins))) {
    logger.warn(`The variable ${name} is not known and has no effect; did you mean ${meant.slice(0, 3).join(' or ')}?`);
  }
  const service = await serve(config, logger);
  // Before the welcome is printed: a program that reads it may send a signal at once.
  stopOnSignals(service, logger);
  console.log(welcome(service, config, await firstSignIn(service, config)));
}

main().catch((error: unknown) => {
  process.stderr.write(`${textOf(error)}\n`);
  process.exit(1);
});
