// The processes of one service. Each keeps its own port over restarts.
import { setTimeout as sleep } from 'node:timers/promises';
import { startReplica } from '../../bench/runs-faults/replica.mjs';

const READY_LIMIT_MS = 90_000;

export class Replicas {
  list = [];
  /** Replicas that were told to end. */
  #asked = new Set();

  /** `settings`: of `startReplica`, one entry per process. `problems` receives unexpected exits. */
  constructor(settings, problems) {
    this.settings = settings;
    this.problems = problems;
  }

  async start() {
    this.list = await Promise.all(this.settings.map((_, n) => this.#boot(n)));
  }

  /** SIGKILL and a new start. */
  async kill(n) {
    this.#asked.add(this.list[n]);
    await this.list[n].kill();
    return this.#again(n);
  }

  /** SIGTERM and a new start. */
  async restart(n) {
    const took = await this.#end(n);
    return `drained in ${took}, ${await this.#again(n)}`;
  }

  /** SIGSTOP, and SIGCONT when `over` says so. */
  async freeze(n, over) {
    const { child } = this.list[n];
    const begun = performance.now();
    child.kill('SIGSTOP');
    try {
      await over();
    } finally {
      child.kill('SIGCONT');
    }
    return since(begun);
  }

  async stop() {
    await Promise.all(this.list.map((_, n) => this.#end(n)));
  }

  /** Resolves when all replicas are ready, with job queue and signals. Returns how long that took. */
  async recovered() {
    const begun = performance.now();
    for (const replica of this.list) {
      let state = null;
      while (!isRecovered(state)) {
        if (performance.now() - begun > READY_LIMIT_MS) {
          this.problems.add(`stuck: ${replica.url} is not ready ${since(begun)} later: ${JSON.stringify(state?.json)}`);
          break;
        }
        if (state !== null) await sleep(50);
        state = await replica.call('GET', '/health/ready').catch(() => ({ status: 0, json: null }));
      }
    }
    return since(begun);
  }

  async #boot(n) {
    const replica = await startReplica(this.settings[n]);
    replica.child.once('exit', (code, signal) => {
      if (this.#asked.has(replica)) return;
      this.problems.add(`replica ${n + 1} ended by itself (${code ?? signal}): ${replica.child.output().slice(-800)}`);
    });
    return replica;
  }

  async #end(n) {
    const replica = this.list[n];
    const begun = performance.now();
    this.#asked.add(replica);
    await replica.stop();
    const { exitCode, signalCode } = replica.child;
    if (exitCode !== 0) this.problems.add(`replica ${n + 1}: exit code ${exitCode ?? signalCode} after SIGTERM`);
    return since(begun);
  }

  async #again(n) {
    const begun = performance.now();
    this.list[n] = await this.#boot(n);
    return `ready ${since(begun)} after its start`;
  }
}

/** Resolves when every replica says of itself that it is not ready. */
export async function unready(list) {
  for (const replica of list) {
    const state = () => replica.call('GET', '/health/ready').catch(() => ({ status: 0 }));
    while ((await state()).status === 200) await sleep(50);
  }
}

const isRecovered = (state) =>
  state?.status === 200 && state.json.checks.jobs === 'ok' && state.json.checks.signals === 'ok';

const since = (begun) => `${((performance.now() - begun) / 1_000).toFixed(1)} s`;
