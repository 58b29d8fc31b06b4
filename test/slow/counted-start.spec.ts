import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { preparedDataDir } from '../support/data-directory';
import { type ServerProcess, startServer } from '../support/server-process';
import { until } from '../support/until';

const REPORTER = join(__dirname, '../support/loaded-packages.cjs');
const MEBIBYTE = 1024 * 1024;

/** Packages that few installations need, or that a thread or process of its own needs. They are loaded when they are used. */
const LATER = [
  '@aws-sdk/client-s3',
  '@electric-sql/pglite',
  '@modelcontextprotocol/sdk',
  'eld',
  'jszip',
  'mammoth',
  'node-sqlite3-wasm',
  'nodemailer',
  'unpdf',
  'zod',
];

interface Loaded {
  readonly packages: readonly string[];
  readonly heap: number;
}

/** Counts what a start loads: figures that no other program on the machine changes. The limit may only fall. */
describe('a service that has just started', () => {
  let dataDir: string;
  let server: ServerProcess;
  let loaded: Loaded;

  beforeAll(async () => {
    dataDir = preparedDataDir('bellwether-started-');
    const file = join(dataDir, 'loaded.json');
    server = await startServer({ dataDir, env: { NODE_OPTIONS: `--require ${REPORTER}`, LOADED_FILE: file } });
    process.kill(server.pid, 'SIGUSR2');
    await until(() => existsSync(file));
    loaded = JSON.parse(readFileSync(file, 'utf8')) as Loaded;
  });
  afterAll(async () => {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('has loaded no package that only some of its functions need', () => {
    expect(loaded.packages).toContain('typeorm');
    expect(LATER.filter((name) => loaded.packages.includes(name))).toEqual([]);
  });

  it('keeps its heap small', () => {
    expect(loaded.heap / MEBIBYTE).toBeLessThanOrEqual(90);
  });
});
