import { spread } from './stats.mjs';

/**
 * Ratio of two servers measured in the same repetition, then the median over repetitions: a slow minute of the machine
 * slows both and cancels out. Repetitions in which either is void or missing do not count.
 */
export function paired(samples, above, below, read) {
  const ratios = [];
  for (const [rep, sample] of (samples[above] ?? []).entries()) {
    const other = samples[below]?.[rep];
    if (!sample || !other || sample.void || other.void) continue;
    const ratio = read(sample) / read(other);
    if (Number.isFinite(ratio)) ratios.push(ratio);
  }
  return spread(ratios);
}

/** Ratio of the least values over all repetitions: for costs, where noise only ever adds. */
export function bestRatio(samples, above, below, read) {
  return least(samples, above, read) / least(samples, below, read);
}

export function valid(samples, name, read) {
  return (samples[name] ?? []).filter((sample) => sample && !sample.void).map(read);
}

export function least(samples, name, read) {
  const values = valid(samples, name, read).filter((value) => Number.isFinite(value));
  return values.length ? Math.min(...values) : NaN;
}

export function overReps(samples, name, read) {
  return spread(valid(samples, name, read));
}

/** What a server adds over the direct way, per repetition. */
export function added(samples, read) {
  return Object.fromEntries(
    Object.entries(samples).map(([name, list]) => [
      name,
      list.map((sample, rep) => {
        const direct = samples.direct?.[rep];
        if (!direct || direct.void || sample.void) return { void: sample.void ?? 'no direct sample' };
        return { added: read(sample) - read(direct) };
      }),
    ]),
  );
}
