import type { Command } from 'commander';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module';
import { openApiDocument, setUpApp } from './app.setup';
import type { Register } from './cli-output';
import { withApplication } from './cli-context';
import type { Config } from './platform/config';
import { createPino } from './platform/logging';
import { SecretsService } from './platform/secrets';

/** The routes do not depend on the data: an empty database of its own, gone afterwards. */
async function writeOpenApi(given: Config, file: string): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bw-openapi-'));
  const config: Config = { ...given, database: { ...given.database, url: null, dataDir } };
  const app = await NestFactory.create<NestExpressApplication>(AppModule.of(config, { schema: 'migrate' }), {
    bodyParser: false,
    abortOnError: false,
    logger: false,
  });
  try {
    setUpApp(app, createPino('silent'));
    const document = openApiDocument(app);
    writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
    return Object.keys(document.paths).length;
  } finally {
    await app.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Commands about the service itself. */
export function registerServiceCommands(program: Command, register: Register): void {
  register<{ out: string }>(
    program
      .command('openapi:write')
      .description('write the OpenAPI document')
      .option('--out <file>', 'where to', 'openapi.json'),
    async (config, { out }) => {
      const paths = await writeOpenApi(config, out);
      return { text: `Wrote ${out}: ${paths} paths.`, data: { file: out, paths } };
    },
  );
  register(
    program.command('keys:rotate-secrets').description('wrap stored secrets with the newest SECRETS_KEY'),
    (config) =>
      withApplication(config, async (context) => {
        const report = await context.get(SecretsService).rotate();
        const text = `Wrapped ${report.rotated} keys anew; ${report.unavailable} cannot be opened with the keys at hand.`;
        return { text, data: { ...report }, ok: report.unavailable === 0 };
      }),
  );
}
