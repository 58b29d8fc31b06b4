/** Ends a rehearsal, which can be continued. The message is one sentence for the operator. */
export class RehearsalStopped extends Error {}
