// Watches the processes of a long run: memory must be flat after the warm-up, and nothing may stay open or lie about.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const MB = 1024 * 1024;
/** Between two samples, and for the processes to close what they keep for a while after the last request. */
const EVERY_MS = 30_000;
const CALM_MS = 90_000;
const ANSWER_MS = 20_000;
/** Growth of the collected heap between the second quarter of the run and the last one. */
const MOST_GROWTH = 1.1;
const SLACK = 10 * MB;
/** Sockets and timers that an idle process may have more than before the load: pools keep some connections. */
const MOST_MORE = 12;

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;

export class Soak {
  #samples = [];
  #ended = new AbortController();
  #watching = null;

  constructor(folder) {
    this.file = join(folder, 'resources');
    this.temporary = join(folder, 'tmp');
  }

  /** Environment of each process. */
  get env() {
    const script = join(import.meta.dirname, 'resources.cjs');
    return { NODE_OPTIONS: `--require ${script}`, RESOURCES_FILE: this.file, TMPDIR: this.temporary };
  }

  /** The processes must be ready and idle. */
  async begin(replicas) {
    this.pids = replicas.map(({ child }) => child.pid);
    this.replicas = replicas;
    this.before = await this.#sample();
    this.filesBefore = this.#temporaryFiles().length;
    this.#watching = this.#watch();
  }

  async #watch() {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      this.#samples.push(await this.#sample());
      await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Call when no request is open. Adds what leaks to `problems`; returns rows of the report. */
  async end(problems) {
    this.#ended.abort();
    await this.#watching;
    await sleep(CALM_MS);
    const after = await this.#sample();
    const rows = this.pids.map((pid, n) => [`process ${n + 1}`, this.#judge(n, pid, after, problems)]);
    const left = this.#temporaryFiles();
    if (left.length > this.filesBefore) problems.add(`temporary files are left: ${left.slice(0, 5).join(', ')}`);
    for (const [n, { child }] of this.replicas.entries()) {
      if (child.output().includes('MaxListenersExceededWarning')) problems.add(`process ${n + 1} leaks listeners`);
    }
    return rows;
  }

  #judge(n, pid, after, problems) {
    const quarter = Math.floor(this.#samples.length / 4);
    const heapOf = (samples) => median(samples.map((sample) => sample.get(pid).heapUsed));
    const rssOf = (samples) => median(samples.map((sample) => sample.get(pid).rss));
    const [early, late] = [this.#samples.slice(quarter, 2 * quarter), this.#samples.slice(-quarter)];
    const [first, last] = [heapOf(early), heapOf(late)];
    if (last > MOST_GROWTH * first + SLACK)
      problems.add(`process ${n + 1}: the heap grows: ${mb(first)} to ${mb(last)}`);
    const [idle, now] = [this.before.get(pid).open, after.get(pid).open];
    for (const [kind, count] of Object.entries(now)) {
      const more = count - (idle[kind] ?? 0);
      if (more > MOST_MORE) problems.add(`process ${n + 1}: ${more} more of ${kind} than before the load`);
    }
    const open = Object.keys({ ...idle, ...now }).map((kind) => `${kind} ${idle[kind] ?? 0} → ${now[kind] ?? 0}`);
    return `heap ${mb(first)} → ${mb(last)}, RSS ${mb(rssOf(early))} → ${mb(rssOf(late))}; idle before → after: ${open.join(', ')}`;
  }

  /** By pid. */
  async #sample() {
    const known = this.#lines().length;
    for (const pid of this.pids) process.kill(pid, 'SIGUSR2');
    for (const deadline = performance.now() + ANSWER_MS; performance.now() < deadline; await sleep(50)) {
      const lines = this.#lines().slice(known);
      if (lines.length === this.pids.length) return new Map(lines.map((line) => [line.pid, line]));
    }
    throw new Error('a process does not tell its resources');
  }

  #lines() {
    if (!existsSync(this.file)) return [];
    return readFileSync(this.file, 'utf8')
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }

  #temporaryFiles() {
    return readdirSync(this.temporary, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
  }
}

const mb = (bytes) => `${(bytes / MB).toFixed(0)} MB`;
