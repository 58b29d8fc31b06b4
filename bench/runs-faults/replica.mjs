// One process of the service, clients of its API, and readers of runs.
import { join } from 'node:path';
import { freePort, startNode, stop, until200 } from '../lib/children.mjs';
import { root } from '../lib/built.mjs';
import { main } from '../suts/bellwether.mjs';

const KEY = `bw_${'b'.repeat(48)}`;
const SECRETS = `bench:${'0123456789abcdef'.repeat(4)}`;
const headers = { authorization: `Bearer ${KEY}` };

/** `port`: the one it had before a restart; absent: a free one. */
export async function startReplica({ dataDir, databaseUrl, env, name = 'data', port: wanted }) {
  const port = wanted ?? (await freePort());
  const child = startNode(main, {
    cwd: root,
    env: {
      PORT: String(port),
      HOST: '127.0.0.1',
      DATA_DIR: join(dataDir, name),
      DATABASE_URL: databaseUrl,
      BOOTSTRAP_ADMIN_KEY: KEY,
      SECRETS_KEY: SECRETS,
      SEED_DEMO: 'false',
      LOG_LEVEL: 'error',
      OPENAI_API_KEY: 'sk-bench',
      OUTBOUND_ALLOW: '127.0.0.1',
      RUN_LEASE: '5',
      ...env,
    },
  });
  const url = `http://127.0.0.1:${port}`;
  await until200(`${url}/health/ready`, child, { limitMs: 300_000 });
  return new Replica(child, url);
}

const TERMINAL = /^run\.(completed|failed|cancelled)$/;

/** The API at one address: a process, or a proxy in front of several. */
export class Client {
  constructor(url) {
    this.url = url;
  }

  /** `body` is sent as JSON unless it is a form. Another proxy's answers have no JSON: null. */
  async call(method, path, body, more = {}) {
    const isForm = body instanceof FormData;
    const response = await fetch(this.url + path, {
      method,
      headers: { ...headers, ...(body && !isForm ? { 'content-type': 'application/json' } : {}), ...more },
      body: isForm ? body : body && JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, text, json: parsed(text) };
  }

  /** Asks again while the service is too busy; throws unless it succeeds then. */
  async made(method, path, body) {
    let { status, json } = await this.call(method, path, body);
    for (let tries = 0; status === 503 && tries < 50; tries += 1) {
      await new Promise((next) => setTimeout(next, 200));
      ({ status, json } = await this.call(method, path, body));
    }
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json).slice(0, 300)}`);
    return json;
  }

  async begin(assistant, content) {
    const body = { messages: [{ role: 'user', content }] };
    return (await this.made('POST', `/api/v1/assistants/${assistant}/runs`, body)).id;
  }

  /** Frames after `after`, as far as they come: to the end of the run or of this process, or until there are `most`. */
  async frames(id, { after = 0, most = Infinity } = {}) {
    const frames = [];
    let held = '';
    try {
      const response = await fetch(`${this.url}/api/v1/runs/${id}/events?after=${after}`, { headers });
      if (response.status !== 200) return { status: response.status, frames };
      const decoder = new TextDecoder();
      for await (const bytes of response.body) {
        const blocks = (held + decoder.decode(bytes, { stream: true })).split('\n\n');
        held = blocks.pop();
        frames.push(...blocks.filter((block) => /^id: /m.test(block)));
        if (frames.length >= most) break;
      }
    } catch {
      // Cut: the caller asks again.
    }
    return { status: 200, frames };
  }
}

class Replica extends Client {
  constructor(child, url) {
    super(url);
    this.child = child;
  }

  kill() {
    this.child.kill('SIGKILL');
    return stop(this.child);
  }

  stop() {
    return stop(this.child, 20_000);
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export const typeOf = (frame) => /^event: (.*)$/m.exec(frame)?.[1] ?? '';
const dataOf = (frame) => JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? '{}');

/** What the model is said to have said. */
export const saidIn = (frames) =>
  frames
    .filter((frame) => typeOf(frame) === 'llm.delta')
    .map((frame) => dataOf(frame).text)
    .join('');

/** Gaps, doubles, ends that are missing, too many or not last; empty when there are none. */
export function flawsOf(frames) {
  const flaws = frames.flatMap((frame, n) =>
    Number(/^id: (\d+)$/m.exec(frame)?.[1]) === n + 1 ? [] : [`id of event ${n + 1}`],
  );
  const ends = frames.filter((frame) => TERMINAL.test(typeOf(frame)));
  if (ends.length !== 1) flaws.push(`${ends.length} ends`);
  if (ends.length === 1 && ends[0] !== frames.at(-1)) flaws.push('an event behind the end');
  return flaws;
}

/** Reads to the end of the run whatever happens to the processes, asking `which()` again and again. */
export async function readThrough(which, id, patienceMs = 60_000) {
  const frames = [];
  const deadline = performance.now() + patienceMs;
  while (!TERMINAL.test(typeOf(frames.at(-1) ?? '')) && performance.now() < deadline) {
    const read = await which().frames(id, { after: frames.length });
    frames.push(...read.frames);
    if (read.status === 204) break;
    if (read.frames.length === 0) await new Promise((next) => setTimeout(next, 100));
  }
  return frames;
}
