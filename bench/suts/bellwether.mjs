// The service itself, started from its build; its assistants are made by bellwether-content.mjs.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { dist, root } from '../lib/built.mjs';
import { freePort, startNode, until200 } from '../lib/children.mjs';
import { makeAssistants, makeCourse, setRules } from './bellwether-content.mjs';

export const main = join(dist, 'main.js');
export const isBuilt = () => existsSync(main);
export const version = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;

const adminKey = `bw_${'b'.repeat(48)}`;
const database = process.env.BENCH_DATABASE_URL;

/** `databaseUrl: null` asks for the embedded database whatever the environment says. */
export function environment({ port, dataDir, upstream, databaseUrl = database }) {
  return {
    PORT: String(port),
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    BOOTSTRAP_ADMIN_KEY: adminKey,
    OPENAI_BASE_URL: `${upstream}/v1`,
    OPENAI_API_KEY: 'sk-bench',
    SEED_DEMO: 'false',
    OUTBOUND_ALLOW: '127.0.0.1',
    LOG_LEVEL: 'error',
    TOOL_PARALLEL_LIMIT: '8',
    // The bench reads and asks with one key.
    RUN_STREAMS_PER_PERSON: '10000',
    RUN_STREAMS_PER_ORGANIZATION: '10000',
    RUN_STREAMS: '10000',
    RUN_COMPLETIONS: '10000',
    RUN_COMPLETIONS_PER_PERSON: '10000',
    DATABASE_URL: databaseUrl ?? undefined,
  };
}

export const info = { name: 'bellwether', version, database: database ? 'external' : 'embedded' };

/** The build of an earlier commit, measured as the server `before` beside ours in one run. */
const mainBefore = process.env.BENCH_BEFORE && join(resolve(process.env.BENCH_BEFORE), 'main.js');

export const before = {
  info: { ...info, name: 'before' },
  isMissing: () => !mainBefore || !existsSync(mainBefore),
  start: (options) => startBuild(mainBefore, options),
};

export const start = (options) => startBuild(main, options);

async function startBuild(file, { upstream, core, scratch, env = {} }) {
  const port = await freePort();
  const settings = { ...environment({ port, dataDir: scratch, upstream }), ...env };
  const child = startNode(file, { core, cwd: root, env: settings });
  const url = `http://127.0.0.1:${port}`;
  await until200(`${url}/health/ready`, child, { limitMs: 120_000 });
  const made = { url, key: adminKey, upstream };
  return {
    child,
    port,
    makeTargets: () => makeAssistants(made),
    makeCourse: () => makeCourse(made),
    setRules: (count) => setRules(made, count),
  };
}
