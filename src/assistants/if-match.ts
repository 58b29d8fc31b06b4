import { AppError, type Caller } from '../kernel';

const ENTITY_TAG = /^(?:W\/)?"?(\d{1,9})"?$/;

/**
 * The version that a change is based on (RFC 9110 §13.1.1), or null for any. Browsers' sessions must say; keys may.
 * @throws {AppError} `precondition_required`, or `precondition_failed` for a tag that no version has.
 */
export function expectedVersion(caller: Caller, header: string | undefined): number | null {
  const tag = header?.trim() ?? '';
  if (tag === '*') return null;
  if (tag === '') {
    if (caller.kind === 'session')
      throw new AppError('precondition_required', 'Send If-Match with the version that you changed');
    return null;
  }
  const match = ENTITY_TAG.exec(tag);
  if (match?.[1] === undefined) throw staleVersion();
  return Number(match[1]);
}

export const staleVersion = (): AppError =>
  new AppError('precondition_failed', 'Somebody saved another version meanwhile: load it and try again');
