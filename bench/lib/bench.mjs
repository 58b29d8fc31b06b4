import { fileURLToPath } from 'node:url';
import { available, startFleet, stopFleet } from './fleet.mjs';
import { startHelper } from './children.mjs';
import { canPin, cores } from './machine.mjs';
import { plannedEnd, scales } from './scale.mjs';

const mockScript = fileURLToPath(new URL('./mock-upstream.mjs', import.meta.url));
const loadScript = fileURLToPath(new URL('./loadgen.mjs', import.meta.url));

/** What every scenario is given: the mock, the load generator, the servers, and how much to measure. */
export async function openBench(options) {
  const scale = scales[options.mode];
  const names = available(options.servers ?? (options.smoke ? ['direct', 'nodepipe', 'bellwether'] : undefined));
  const mock = await startHelper(mockScript, { core: cores.mock });
  const load = await startHelper(loadScript, { core: cores.load });
  const mockPort = await mock.call('port');
  const begun = performance.now();
  const elapsed = () => (performance.now() - begun) / 1e3;
  let fleet;
  let scenario = '';

  return {
    scale,
    names,
    allowBusy: options.allowBusy,
    mock: mock.call,
    load: load.call,
    mockPort,
    upstream: `http://127.0.0.1:${mockPort}`,
    elapsed,
    mayRepeat: () => elapsed() < plannedEnd[scenario] * scale.budgetSeconds,
    begin(name) {
      scenario = name;
      say(elapsed(), `${name}${canPin ? '' : ' (no taskset: nothing is pinned)'}`);
    },
    progress(round) {
      const faults = Object.entries(round).filter(([, sample]) => sample.void);
      say(
        elapsed(),
        `${scenario}: round done${faults.map(([name, { void: why }]) => `; ${name} void: ${why}`).join('')}`,
      );
    },
    async warm(name, run) {
      const from = performance.now();
      await run();
      say(elapsed(), `${scenario}: ${name} warm after ${((performance.now() - from) / 1e3).toFixed(1)} s`);
    },
    /** The servers that several scenarios share, started on first use. */
    fleet() {
      fleet ??= startFleet(names, this);
      return fleet;
    },
    async endFleet() {
      if (!fleet) return;
      await stopFleet(await fleet.catch(() => []));
      fleet = undefined;
    },
    async close() {
      await this.endFleet();
      await load.stop();
      await mock.stop();
    },
  };
}

function say(seconds, text) {
  console.log(`${seconds.toFixed(0).padStart(4)} s  ${text}`);
}
