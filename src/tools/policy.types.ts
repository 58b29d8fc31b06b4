import type { Call } from './call';
import type { CheckedOutput } from './read-output';

/** Makes the call, or rejects with the failure of its last try. */
export type Next = (call: Call) => Promise<CheckedOutput>;

/** One layer around a call: it answers itself, calls `next`, or calls it several times. */
export type Policy = (next: Next) => Next;
