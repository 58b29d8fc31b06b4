/** Milliseconds of processor time that `work` took. Other processes on a busy machine do not add to it, as they do to wall time. */
export function cpuTimeOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * How much longer `work` takes over sixteen times the length: some 16 times in linear time, 256 times in quadratic time.
 * The least of three shares no collection of garbage. Less than five milliseconds count as five: they are noise.
 */
export function growthOf(work: (length: number) => unknown, length: number): number {
  const least = (of: number): number => Math.min(...[1, 2, 3].map(() => cpuTimeOf(() => work(of))));
  return least(length) / Math.max(5, least(length / 16));
}

/** Between both, with a margin for a busy machine. */
export const LINEAR_GROWTH = 64;
