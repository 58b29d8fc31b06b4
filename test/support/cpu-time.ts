/** Milliseconds of processor time that `work` took. Other processes on a busy machine do not add to it, as they do to wall time. */
export function cpuTimeOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
