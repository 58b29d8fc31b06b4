import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Awaited before every call to a vendor of models. Work that must not ask a vendor twice sets a gate, which records that
 * a call is about to be made.
 */
export const vendorGate = new AsyncLocalStorage<() => Promise<void>>();
