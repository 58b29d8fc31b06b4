import { AsyncLocalStorage } from 'node:async_hooks';

/** Awaited before every call to a model vendor. Background runs record the call here, so that it is not repeated. */
export const beforeVendorCall = new AsyncLocalStorage<() => Promise<void>>();
