import type { Awaitable } from '@bellwether/kernel';
import type { Call } from './call';
import type { CheckedOutput } from './read-output';

/** Makes the call, or fails as its last try did. A call that waits for nothing has no promise. */
export type Next = (call: Call) => Awaitable<CheckedOutput>;

/** One layer around a call: it answers itself, calls `next`, or calls it several times. */
export type Policy = (next: Next) => Next;
