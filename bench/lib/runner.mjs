import { setTimeout as sleep } from 'node:timers/promises';
import { LOAD_LIMIT, loadNow } from './machine.mjs';

/**
 * Measures every name once per repetition, in an order that rotates, so that no server always follows the same
 * neighbour or always meets the machine in the same state. A repetition with a void sample is made up for by an extra.
 * `measure(name, rep)` returns a sample; a sample with `fault` is void. `check(samplesOfRep)` may void more.
 */
export async function interleave({ bench, names, reps, measure, check, extra = 2 }) {
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  let wanted = names.length > 0 ? reps : 0;
  for (let rep = 0; rep < wanted; rep++) {
    const round = {};
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + rep) % names.length];
      round[name] = await guarded(() => measure(name, rep), bench);
      await sleep(bench.scale.pauseMs);
    }
    check?.(round);
    for (const name of names) samples[name].push(round[name]);
    if (Object.values(round).some((sample) => sample.void) && wanted < reps + extra && bench.mayRepeat()) wanted++;
    bench.progress(round);
  }
  return samples;
}

async function guarded(measure, bench) {
  try {
    const sample = await measure();
    if (sample.fault) sample.void = sample.fault;
    else if (!bench.allowBusy && loadNow() > LOAD_LIMIT) sample.void = `load average ${loadNow().toFixed(1)}`;
    return sample;
  } catch (error) {
    return { void: error.message };
  }
}

/** Whether the mock and the load generator had room: below four times a server's rate they are what was measured. */
export function checkHeadroom(round, read, names) {
  const direct = round.direct && !round.direct.void ? read(round.direct) : undefined;
  for (const name of names) {
    const sample = round[name];
    if (!sample || sample.void || direct === undefined) continue;
    if (direct < 4 * read(sample)) sample.void = 'bound by the mock (direct is less than 4 times its rate)';
  }
}

/** Why samples were void, once per server and reason. */
export function voids(samples) {
  const reasons = new Map();
  for (const [name, list] of Object.entries(samples)) {
    for (const sample of list) {
      if (sample.void) reasons.set(`${name}: ${sample.void}`, (reasons.get(`${name}: ${sample.void}`) ?? 0) + 1);
    }
  }
  return [...reasons].map(([reason, times]) => `${reason} (${times}×)`);
}
