import { ScimError } from '../../../src/infrastructure/http';

// Invisible characters would let two names look alike.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export const invalidValue = (detail: string): ScimError => new ScimError('invalidValue', detail);

/** Null for an absent or empty text. @throws {ScimError} `invalidValue` */
export function textOf(value: unknown, path: string, longest: number): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw invalidValue(`${path} must be a text`);
  const text = value.replace(INVISIBLE, '').trim();
  if (text.length > longest) throw invalidValue(`${path} has at most ${longest} characters`);
  return text === '' ? null : text.toWellFormed();
}
