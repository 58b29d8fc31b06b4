// Monotonic microseconds that every process of this machine shares, so that a stamp written by the mock can be
// subtracted from an arrival time read by the load generator.
const [seconds, nanoseconds] = process.hrtime();
const offset = seconds * 1e6 + nanoseconds / 1e3 - performance.now() * 1e3;

export const nowUs = () => performance.now() * 1e3 + offset;
