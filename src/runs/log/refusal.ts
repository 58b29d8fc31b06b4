import { isDatabaseUnavailable } from '../../infrastructure/database';

/** Codes of PostgreSQL. Node's codes of broken connections do not match. */
const SQLSTATE = /^[0-9FHPX][0-9A-Z]{4}$/;
/** Thrown while the parameters are serialised. */
const SERIALISATION = ['RangeError', 'TypeError'];

export const sqlstateOf = (error: unknown): string | null => {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && SQLSTATE.test(code) ? code : null;
};

/** True when these rows can never be written; false for an outage. */
export function isRefusal(error: unknown): boolean {
  if (isDatabaseUnavailable(error)) return false;
  if (sqlstateOf(error) !== null) return true;
  return error instanceof Error && SERIALISATION.includes(error.name);
}
