// Lines on stderr about what takes minutes; tables alone go to stdout.
const EVERY_MS = 10_000;

/** `step(done)` says how far `what` is, now and then, and at the end. */
export function progress(what, total) {
  const from = performance.now();
  let told = from;
  return (done) => {
    const now = performance.now();
    if (now - told < EVERY_MS && done < total) return;
    told = now;
    console.error(`  ${what}: ${done} of ${total}, ${Math.round((now - from) / 1e3)} s`);
  };
}
