// The built service on an embedded database of its own, and the calls that the parts of this benchmark make.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, startNode, stop, until200 } from '../lib/children.mjs';
import { rssKb } from '../lib/meter.mjs';
import { root } from '../lib/built.mjs';
import { isBuilt, main } from '../suts/bellwether.mjs';
import { progress } from './progress.mjs';

const KEY = `bw_${'b'.repeat(48)}`;
const PASSED_ON = ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OLLAMA_BASE_URL', 'OUTBOUND_ALLOW'];
const FILES_PER_UPLOAD = 20;

export async function startService(env = {}) {
  if (!isBuilt()) {
    console.error('not built: npm run build');
    process.exit(2);
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'bellwether-retrieval-'));
  const port = await freePort();
  const inherited = Object.fromEntries(
    PASSED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  const child = startNode(main, {
    cwd: root,
    env: {
      PORT: String(port),
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      DATABASE_URL: process.env.BENCH_DATABASE_URL,
      BOOTSTRAP_ADMIN_KEY: KEY,
      SEED_DEMO: 'false',
      LOG_LEVEL: 'error',
      OUTBOUND_ALLOW: '127.0.0.1',
      ...inherited,
      ...env,
    },
  });
  const url = `http://127.0.0.1:${port}`;
  await until200(`${url}/health/ready`, child, { limitMs: 300_000 });
  return new Service(child, url, dataDir);
}

class Service {
  constructor(child, url, dataDir) {
    this.child = child;
    this.url = url;
    this.dataDir = dataDir;
  }

  async call(method, path, body) {
    const form = body instanceof FormData;
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${KEY}`, ...(form || !body ? {} : { 'content-type': 'application/json' }) },
      body: form ? body : body && JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
    return text === '' ? null : JSON.parse(text);
  }

  create(body) {
    return this.call('POST', '/api/v1/knowledge-bases', { name: 'Bench', ...body });
  }

  update(id, body) {
    return this.call('PATCH', `/api/v1/knowledge-bases/${id}`, body);
  }

  /** `files`: pairs of name and content. Resolves when all of them have been taken in, with the seconds that took. */
  async ingest(id, files) {
    const from = performance.now();
    const tell = progress('documents sent', files.length);
    for (let at = 0; at < files.length; at += FILES_PER_UPLOAD) {
      const form = new FormData();
      for (const [name, content] of files.slice(at, at + FILES_PER_UPLOAD)) {
        form.append('files', new Blob([content]), name);
      }
      await this.call('POST', `/api/v1/knowledge-bases/${id}/documents`, form);
      tell(Math.min(at + FILES_PER_UPLOAD, files.length));
    }
    await this.settled(id, files.length);
    return (performance.now() - from) / 1e3;
  }

  async settled(id, documents) {
    const tell = progress('documents taken in', documents);
    const total = async (status) =>
      (await this.call('GET', `/api/v1/knowledge-bases/${id}/documents?status=${status}&limit=1`)).total;
    const left = async () => (await total('pending')) + (await total('processing'));
    for (let waiting = await left(); waiting > 0; waiting = await left()) {
      tell(documents - waiting);
      await sleep(200);
    }
    const failed = await this.call('GET', `/api/v1/knowledge-bases/${id}/documents?status=failed&limit=1`);
    if (failed.total > 0) throw new Error(`${failed.total} documents failed: ${JSON.stringify(failed.items[0].error)}`);
  }

  query(id, query, options = {}) {
    return this.call('POST', `/api/v1/knowledge-bases/${id}/query`, { query, top_k: 10, ...options });
  }

  /** Megabytes of the service and of what it started. */
  memoryMb() {
    return family(this.child.pid).reduce((sum, pid) => sum + (rssKb(pid) || 0), 0) / 1024;
  }

  /** `keep`: leave the data directory to the caller. */
  async stop({ keep = false } = {}) {
    await stop(this.child, 20_000);
    if (!keep) this.discard();
  }

  discard() {
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

function family(pid) {
  const parents = new Map();
  for (const entry of existsSync('/proc') ? readdirSync('/proc') : []) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      parents.set(Number(entry), Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${entry}/status`, 'latin1'))[1]));
    } catch {
      // It ended meanwhile.
    }
  }
  const found = [pid];
  for (const each of found) for (const [child, parent] of parents) if (parent === each) found.push(child);
  return found;
}
