import { notFound } from '../../kernel';

const MAX_ID = 2_147_483_647;

/** The assistant's id in a path or query. @throws `not_found` for a text that cannot be an id */
export function assistantIdIn(text: unknown): number {
  const id = typeof text === 'string' && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  if (id < 1 || id > MAX_ID) throw notFound('Assistant');
  return id;
}
