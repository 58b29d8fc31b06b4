import { createHash } from 'node:crypto';
import { type BellwetherRequest, writeJson } from '../http';

/**
 * SHA-256 over query and body. `AcceptFiles` describes uploads in the body, by name and digest; for an upload that nobody
 * has read yet only its length is known (a multipart boundary differs at every try, so raw bytes say nothing). What a
 * gateway asks for one person is not what it asks for another.
 */
export async function bodyHash(request: BellwetherRequest): Promise<string> {
  const body: unknown = request.body ?? null;
  const unread = body === null && request.is('multipart/form-data') ? (request.headers['content-length'] ?? '') : '';
  const endUser = request.caller?.endUser;
  const hash = createHash('sha256');
  const facts = { query: request.query, body, unread, ...(endUser === undefined ? {} : { endUser: endUser.id }) };
  // Sorted, so that the order of members does not change the hash.
  await writeJson(facts, 'sorted', (text) => hash.update(text));
  return hash.digest('hex');
}
