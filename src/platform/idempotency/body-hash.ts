import { createHash } from 'node:crypto';
import { isJsonObject } from '../../kernel';
import type { BellwetherRequest } from '../http';

/** JSON with members in one order, so that two clients' spellings of one body are equal. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(',')}}`;
}

/**
 * SHA-256 over query and body. `AcceptFiles` describes uploads in the body, by name and digest; for an upload that nobody
 * has read yet only its length is known (a multipart boundary differs at every try, so raw bytes say nothing). What a
 * gateway asks for one person is not what it asks for another.
 */
export function bodyHash(request: BellwetherRequest): string {
  const body: unknown = request.body ?? null;
  const unread = body === null && request.is('multipart/form-data') ? (request.headers['content-length'] ?? '') : '';
  const endUser = request.caller?.endUser;
  return createHash('sha256')
    .update(
      canonical({ query: request.query, body, unread, ...(endUser === undefined ? {} : { endUser: endUser.id }) }),
    )
    .digest('hex');
}
