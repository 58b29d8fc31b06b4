// Monotonic microseconds that every process of this machine shares, so that a stamp written by the mock can be
// subtracted from an arrival time read by the load generator. `performance.now()` is the cheap clock; where it lies on
// the shared one is taken from the tightest of many paired readings, because the first are slow.
const shared = () => Number(process.hrtime.bigint()) / 1e3;

let offset = 0;
let tightest = Infinity;
for (let n = 0; n < 2000; n++) {
  const before = shared();
  const here = performance.now() * 1e3;
  const after = shared();
  if (after - before >= tightest) continue;
  tightest = after - before;
  offset = (before + after) / 2 - here;
}

export const nowUs = () => performance.now() * 1e3 + offset;
