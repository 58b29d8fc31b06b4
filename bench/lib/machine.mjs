import { execFileSync, spawnSync } from 'node:child_process';
import { cpus, loadavg, totalmem, platform, release } from 'node:os';

const works = (file, args) => spawnSync(file, args, { stdio: 'ignore' }).status === 0;

export const canPin = cpus().length >= 2 && works('taskset', ['-c', '0', 'true']);

export const PERF = 'perf';

// `perf stat` exits with 0 on machines without the counter; only a number in its output proves one.
const counted = spawnSync(PERF, ['stat', '-x', ',', '-e', 'instructions', 'true'], { encoding: 'utf8' });
export const canCount = counted.status === 0 && /^\d+,/m.test(counted.stderr);

/** Which core each part runs on: the server alone, load and mock on another (the mock on a third where there is one). */
export const cores = { load: 0, server: 1, mock: cpus().length > 2 ? 2 : 0 };

export const LOAD_LIMIT = 6;
export const loadNow = () => loadavg()[0];

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

export function describeMachine() {
  let commit = 'unknown';
  try {
    commit =
      git('rev-parse', '--short', 'HEAD') +
      (git('status', '--porcelain', 'src', 'extensions', 'package.json') ? '+' : '');
  } catch {
    // A source archive has no repository.
  }
  return {
    date: new Date().toISOString(),
    commit,
    node: process.version,
    cpu: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    os: `${platform()} ${release()}`,
    pinned: canPin,
    instructions: canCount,
    loadAtStart: Number(loadNow().toFixed(2)),
  };
}
