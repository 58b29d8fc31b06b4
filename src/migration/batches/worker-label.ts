import { hostname } from 'node:os';

/** How a process names itself to operators who find a batch in its hands. */
export const workerLabel = (kind: 'a command' | 'the server'): string =>
  `${kind} (process ${process.pid} on ${hostname()})`;
