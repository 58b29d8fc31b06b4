import type { Database } from 'node-sqlite3-wasm';
import { idIn, rowsOf, textIn } from './lti-rows';

/** A user of LAMB whom it knew by the `user_id` of a learning platform. */
export interface LambLtiPerson {
  /** Primary key, with its table. */
  readonly id: string;
  /** Linked in an activity, or a teacher who came to work. */
  readonly door: 'activity' | 'creator';
  readonly legacyUserId: string;
  /** Address at the learning platform, where it is known. */
  readonly email: string | null;
  readonly userId: number;
}

const MOST_ID = 255;

export function readLtiPeople(database: Database, prefix: string): readonly LambLtiPerson[] {
  const links = rowsOf(database, `${prefix}lti_identity_links`).flatMap((row): LambLtiPerson[] => {
    const [id, userId] = [idIn(row, 'id'), idIn(row, 'creator_user_id')];
    const legacyUserId = textIn(row, 'lms_user_id', MOST_ID);
    if (id === null || userId === null || legacyUserId === null) return [];
    const email = textIn(row, 'lms_email', MOST_ID)?.trim().toLowerCase() ?? null;
    return [{ id: `link ${id}`, door: 'activity', legacyUserId, email, userId }];
  });
  const teachers = rowsOf(database, `${prefix}Creator_users`).flatMap((row): LambLtiPerson[] => {
    const userId = idIn(row, 'id');
    const legacyUserId = textIn(row, 'lti_user_id', MOST_ID);
    if (userId === null || legacyUserId === null) return [];
    return [{ id: `user ${userId}`, door: 'creator', legacyUserId, email: null, userId }];
  });
  return [...links, ...teachers];
}
