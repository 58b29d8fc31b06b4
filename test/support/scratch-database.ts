import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { startTestEngine } from './embedded-engine';

export interface ScratchDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** An empty database for a test that changes the schema: an engine of its own, or a database on the server. */
export async function createScratchDatabase(): Promise<ScratchDatabase> {
  const server = process.env.TEST_DATABASE_URL;
  if (!server) {
    const engine = await startTestEngine();
    return { url: engine.url, drop: () => engine.stop() };
  }
  const name = `bw_scratch_${randomBytes(6).toString('hex')}`;
  await onServer(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.toString(), drop: () => onServer(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}
