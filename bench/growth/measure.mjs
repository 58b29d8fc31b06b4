// Measures the service at one size: starts it, sends requests over HTTP, and prunes runs through its repository.
import { createRequire } from 'node:module';
import { freePort, startNode, stop, until200 } from '../lib/children.mjs';
import { quantile } from '../lib/stats.mjs';
import { built, root } from '../lib/built.mjs';
import { environment, main } from '../suts/bellwether.mjs';
import { keyOf } from './fill.mjs';

const require = createRequire(import.meta.url);
/** Requests before the first measured one. Without them the first size would look slow, as no code is compiled yet. */
const WARM_UP = 100;
const DAY = 86_400_000;
const daysAgo = (days) => new Date(Date.now() - days * DAY).toISOString();

/** Spread over the assistants of the large organization, which have even numbers. */
const some = (n, size) => 2 * (1 + ((n * 7919) % Math.floor(size / 2 - 1)));

const completion = (n, { size }) => ({
  path: '/v1/chat/completions',
  body: { model: `lamb_assistant.${some(n, size)}`, messages: [{ role: 'user', content: `Why ${n}?` }] },
});

/** Requests by name. `teacher` uses the key of that teacher, all others use that of the administrator. */
const REQUESTS = {
  'assistants, first page': () => ({ path: '/api/v1/assistants?limit=20' }),
  'assistants, first page, teacher': (n) => ({ path: '/api/v1/assistants?limit=20', teacher: n }),
  'assistants by type, teacher': (n) => ({ path: '/api/v1/assistants?limit=20&type=multi_tool', teacher: n }),
  'assistants, search, one found': (n, { md5 }) => ({ path: `/api/v1/assistants?limit=20&q=${md5(n)}` }),
  'assistants, search, one found, teacher': (n, { md5 }) => ({
    path: `/api/v1/assistants?limit=20&q=${md5(n)}`,
    teacher: n,
  }),
  'assistants, search, many found': () => ({ path: '/api/v1/assistants?limit=20&q=tutor' }),
  'models, 20 of a page': (n, { size }) => ({ path: `/v1/models?limit=20&after=lamb_assistant.${some(n, size / 2)}` }),
  'models, 20, teacher': (n) => ({ path: `/v1/models?limit=20&after=lamb_assistant.${n + 1}`, teacher: n }),
  'completion, assistant not cached': completion,
  'runs, first page': () => ({ path: '/api/v1/runs?limit=20' }),
  'runs, first page, teacher': (n) => ({ path: '/api/v1/runs?limit=20', teacher: n }),
  'runs of one assistant': (n, { size }) => ({ path: `/api/v1/runs?limit=20&assistant_id=${some(n, size)}` }),
  'runs by status': () => ({ path: '/api/v1/runs?limit=20&status=failed' }),
  'runs by status, none': () => ({ path: '/api/v1/runs?limit=20&status=cancelled' }),
  'runs with problems': () => ({ path: '/api/v1/runs?limit=20&problems=true' }),
  'runs of a day': () => ({ path: `/api/v1/runs?limit=20&from=${daysAgo(3)}&to=${daysAgo(2)}` }),
  'runs rated down': () => ({ path: '/api/v1/runs?limit=20&rating=down' }),
  'runs by question, one found': (n, { md5, size }) => ({ path: `/api/v1/runs?limit=20&q=${md5(some(n, size) - 1)}` }),
};

export const WORKS = [...Object.keys(REQUESTS), 'retention, 500 runs', 'start to ready'];

/** Figures by request. `rounds: 0` only starts the service once, which creates its schema. */
export async function measure({ url, dataDir, rounds, size, teachers }) {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const settings = environment({ port, dataDir, upstream: 'http://127.0.0.1:9', databaseUrl: url });
  const began = performance.now();
  const child = startNode(main, { cwd: root, env: settings });
  await until200(`${base}/health/ready`, child, { limitMs: 120_000 });
  const ready = performance.now() - began;
  try {
    if (rounds === 0) return {};
    const found = {};
    for (let n = 0; n < WARM_UP; n += 1) await ask(`${base}/api/v1/assistants?limit=1`, settings.BOOTSTRAP_ADMIN_KEY);
    const { createHash } = require('node:crypto');
    const md5 = (n) => createHash('md5').update(String(n)).digest('hex').slice(0, 10);
    for (const [work, request] of Object.entries(REQUESTS)) {
      const taken = [];
      for (let n = 0; n < rounds + 3; n += 1) {
        const { path, body, teacher } = request(n, { size, md5: (k) => md5(k * 2) });
        const key = teacher === undefined ? settings.BOOTSTRAP_ADMIN_KEY : keyOf(teacher % teachers);
        const from = performance.now();
        await ask(`${base}${path}`, key, body);
        if (n >= 3) taken.push(performance.now() - from);
      }
      found[work] = figuresOf(taken);
    }
    found['retention, 500 runs'] = figuresOf(await pruned(url));
    found['start to ready'] = figuresOf([ready]);
    return found;
  } finally {
    await stop(child, 20_000);
  }
}

const figuresOf = (taken) => ({ p50: quantile(taken, 0.5), p95: quantile(taken, 0.95) });

async function ask(url, key, body) {
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) };
  const response = await fetch(url, { method: body ? 'POST' : 'GET', headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text.slice(0, 300)}`);
}

async function pruned(url) {
  require('@nestjs/common').Logger.overrideLogger(false);
  const { openDatabase } = built('src/infrastructure/postgres/connection/open-database');
  const { RunLines } = built('src/runs/run-lines');
  const { RunRepository } = built('src/runs/run.repository');
  const { RunSegmentRepository } = built('src/runs/run-segment.repository');
  const config = { url, dataDir: '', poolSize: 2 };
  const database = await openDatabase(config, { migrations: [], schema: 'skip', share: true, bound: true });
  try {
    const withoutKey = { signer: () => Promise.resolve(null) };
    const lines = new RunLines(new RunSegmentRepository(database.dataSource), withoutKey);
    const runs = new RunRepository(database.dataSource, lines);
    const taken = [];
    for (let n = 0; n < 3; n += 1) {
      const from = performance.now();
      await runs.prune(90, 500);
      taken.push(performance.now() - from);
    }
    return taken;
  } finally {
    await database.close();
  }
}
