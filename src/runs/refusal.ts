import { isDatabaseUnavailable } from '../platform/database';

/** As PostgreSQL forms them: no name of Node's for a broken connection begins like that. */
const SQLSTATE = /^[0-9FHPX][0-9A-Z]{4}$/;
/** They say nothing about what was to be written: a standby that only reads, a full disk. */
const NOBODYS_FAULT: ReadonlySet<string> = new Set(['25006', '53100']);
/** Thrown while the statement is made. */
const OWN = ['RangeError', 'TypeError'];

export const sqlstateOf = (error: unknown): string | null => {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && SQLSTATE.test(code) ? code : null;
};

/** True when just this can never be written; false when nothing can be at the moment, as far as one knows. */
export function isRefusal(error: unknown): boolean {
  if (isDatabaseUnavailable(error)) return false;
  const state = sqlstateOf(error);
  if (state !== null) return !NOBODYS_FAULT.has(state);
  return error instanceof Error && OWN.includes(error.name);
}
