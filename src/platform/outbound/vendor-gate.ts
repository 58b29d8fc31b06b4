import { AsyncLocalStorage } from 'node:async_hooks';

/** Awaited before every call to a vendor of models. Work that must not call twice records the call here. */
export const vendorGate = new AsyncLocalStorage<() => Promise<void>>();
