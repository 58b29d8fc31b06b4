import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from '../../app.module';
import { openApiDocument } from '../../app.openapi';
import { setUpApp } from '../../app.setup';
import type { CommandResult } from '../../infrastructure/commands';
import type { Config } from '../../infrastructure/config';
import { createPino } from '../../infrastructure/telemetry';
import { isJsonObject } from '@bellwether/kernel';

export interface OpenApiOptions {
  readonly out: string;
}

/** One line for each operation and each shared schema: a change reads as the lines that it changes. */
function onLines(value: object, depth: number): string {
  const lines = Object.entries(value).map(([key, each]: [string, unknown]) => {
    const text = depth > 0 && isJsonObject(each) ? onLines(each, depth - 1) : JSON.stringify(each);
    return `${JSON.stringify(key)}: ${text}`;
  });
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n}`;
}

/** Routes do not depend on data: starts the application on an empty database, deleted afterwards. */
async function writeDocument(given: Config, file: string): Promise<number> {
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
    writeFileSync(file, `${onLines(document, 2)}\n`);
    return Object.keys(document.paths).length;
  } finally {
    await app.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

export async function writeOpenApi(config: Config, { out }: OpenApiOptions): Promise<CommandResult> {
  const paths = await writeDocument(config, out);
  return { text: `Wrote ${out}: ${paths} paths.`, data: { file: out, paths } };
}
