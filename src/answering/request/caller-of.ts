import { endUserOfMetadata } from '../../auth';
import { AppError, type Caller, isJsonObject } from '../../kernel';
import type { BellwetherRequest } from '../../infrastructure/http';

/** The authenticated caller. Gateways may name the end user in the body's `metadata`. For routes that take the plain request. */
export function callerOf({ caller, body }: BellwetherRequest): Caller {
  if (caller === undefined) throw new AppError('unauthenticated', 'A credential is required');
  if (caller.mayNameEndUser !== 'anywhere' || caller.endUser !== undefined) return caller;
  const endUser = endUserOfMetadata(isJsonObject(body) ? body.metadata : null);
  return endUser === undefined ? caller : { ...caller, endUser };
}
