import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AppError } from '../kernel';
import { assignmentsIn, coursesIn, submittedIn, userIn } from './moodle-answers';
import type { MoodleConnection } from './moodle-connection';
import type { MoodleAssignment, MoodleCourse, MoodleIdentity, MoodleTarget } from './moodle.types';

/** Milliseconds. Users change rarely, courses often. */
const USER_TTL = 5 * 60_000;
const UNKNOWN_USER_TTL = 15_000;
const COURSES_TTL = 30_000;

const STATUS_AT_ONCE = 4;
const COURSES_AT_ONCE = 100;

/** Web service functions that a site calls. */
export const MOODLE_FUNCTIONS = [
  'core_user_get_users_by_field',
  'core_enrol_get_users_courses',
  'mod_assign_get_assignments',
  'mod_assign_get_submission_status',
] as const;

/** Cache for all organizations. Keys start with the organization and a hash of URL and token. */
export type MoodleMemory = LRUCache<string, object>;

const MEBIBYTE = 1024 * 1024;

/** The size of an entry is estimated from its JSON. A list of courses fits in one entry. */
export const moodleMemory = (): MoodleMemory =>
  new LRUCache({
    max: 5_000,
    maxSize: 32 * MEBIBYTE,
    maxEntrySize: 2 * MEBIBYTE,
    sizeCalculation: (entry, key) => 2 * (JSON.stringify(entry).length + key.length),
  });

interface Remembered<T> {
  readonly value: T;
}

/** The Moodle of one organization. User ids come from the service, never from a model. */
export class MoodleSite {
  private readonly scope: string;

  constructor(
    private readonly connection: Pick<MoodleConnection, 'call'>,
    private readonly memory: MoodleMemory,
    { organizationId, apiUrl, token }: MoodleTarget,
  ) {
    const digest = createHash('sha256').update(`${apiUrl}\n${token}`).digest('base64url');
    this.scope = `${organizationId} ${digest}`;
  }

  /** Moodle's id of the user by the first identity that matches exactly one; null without one. */
  async userId(identity: MoodleIdentity, signal: AbortSignal): Promise<number | null> {
    const id = await this.userBy(identity, signal);
    return id === null && identity.next !== undefined ? this.userId(identity.next, signal) : id;
  }

  private async userBy(identity: MoodleIdentity, signal: AbortSignal): Promise<number | null> {
    const { field, value } = identity;
    if (field === 'id') return Number(value);
    const ttl = (id: number | null): number => (id === null ? UNKNOWN_USER_TTL : USER_TTL);
    return this.remember(`user ${field} ${value.toLowerCase()}`, ttl, async () => {
      const answer = await this.connection.call('core_user_get_users_by_field', { field, values: [value] }, signal);
      return userIn(answer, identity);
    });
  }

  courses(userId: number, signal: AbortSignal): Promise<readonly MoodleCourse[]> {
    return this.remember(
      `courses ${userId}`,
      () => COURSES_TTL,
      async () =>
        coursesIn(
          await this.connection.call('core_enrol_get_users_courses', { userid: userId, returnusercount: 0 }, signal),
        ),
    );
  }

  /** Of the first 100 courses, sorted by due date. */
  async assignments(courses: readonly number[], signal: AbortSignal): Promise<readonly MoodleAssignment[]> {
    const asked = courses.slice(0, COURSES_AT_ONCE);
    if (asked.length === 0) return [];
    const args = { courseids: asked, includenotenrolledcourses: 1 };
    const answer = await this.connection.call('mod_assign_get_assignments', args, signal);
    return assignmentsIn(answer, new Set(asked)).sort((a, b) => a.dueAt - b.dueAt);
  }

  /**
   * Whether the person submitted each assignment; an unknown one has no entry. The first failure stops further calls.
   */
  async submissions(
    userId: number,
    assignments: readonly number[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, boolean>> {
    const told = new Map<number, boolean>();
    const waiting = [...assignments];
    const worker = async (): Promise<void> => {
      for (let assignid = waiting.shift(); assignid !== undefined; assignid = waiting.shift()) {
        try {
          const args = { assignid, userid: userId };
          const submitted = submittedIn(await this.connection.call('mod_assign_get_submission_status', args, signal));
          if (submitted !== null) told.set(assignid, submitted);
        } catch (error) {
          waiting.length = 0;
          if (error instanceof AppError && error.code === 'cancelled') throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: STATUS_AT_ONCE }, worker));
    return told;
  }

  private async remember<T>(key: string, ttl: (value: T) => number, load: () => Promise<T>): Promise<T> {
    const full = `${this.scope} ${key}`;
    const known = this.memory.get(full) as Remembered<T> | undefined;
    if (known !== undefined) return known.value;
    const value = await load();
    this.memory.set(full, { value }, { ttl: ttl(value) });
    return value;
  }
}
