/** Injects the milliseconds that an erasure waits after it has deactivated the person. Tests, of one process, wait less. */
export const SETTLED_AFTER_MS = Symbol('SETTLED_AFTER_MS');
