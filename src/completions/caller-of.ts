import { AppError, type Caller } from '../kernel';
import type { BellwetherRequest } from '../platform/http';

/** The caller that the guard resolved; for routes that take the plain request. */
export function callerOf({ caller }: BellwetherRequest): Caller {
  if (caller === undefined) throw new AppError('unauthenticated', 'A credential is required');
  return caller;
}
