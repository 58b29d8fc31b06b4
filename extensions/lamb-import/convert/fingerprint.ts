import { createHash } from 'node:crypto';
import { isJsonObject } from '../../../src/kernel';

/** The same text for equal values, in any order of their members. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(',')}}`;
}

export const fingerprint = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('hex');
