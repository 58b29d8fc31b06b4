import type { Caller } from '../../kernel';

/** Where a caller's request came from; known to the guard, wanted by the audit. */
export interface RequestOrigin {
  readonly requestId: string | null;
  readonly ip: string | null;
}

/** Keyed by the `Caller` object of the one request, so that rooms need not carry request ids through every call. */
const origins = new WeakMap<Caller, RequestOrigin>();

export const rememberOrigin = (caller: Caller, origin: RequestOrigin): void => void origins.set(caller, origin);

export const originOf = (caller: Caller): RequestOrigin => origins.get(caller) ?? { requestId: null, ip: null };
