import { createHash } from 'node:crypto';
import { type BellwetherRequest, writeJson } from '../http';

/**
 * SHA-256 over query, body and end user: a gateway asks for several people. `AcceptFiles` describes uploads by name and
 * digest. An unread upload counts by its length: its raw bytes differ at each try by the multipart boundary.
 */
export async function bodyHash(request: BellwetherRequest): Promise<string> {
  const body: unknown = request.body ?? null;
  const unread = body === null && request.is('multipart/form-data') ? (request.headers['content-length'] ?? '') : '';
  const endUser = request.caller?.endUser;
  const hash = createHash('sha256');
  const facts = { query: request.query, body, unread, ...(endUser === undefined ? {} : { endUser: endUser.id }) };
  // Sorted: the order of members does not change the hash.
  await writeJson(facts, 'sorted', (text) => hash.update(text));
  return hash.digest('hex');
}
