import { AppError, isJsonObject } from '@bellwether/kernel';
import { createHash } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { traceHeaders } from '../infrastructure/context';
import type { OutboundClient } from '../infrastructure/outbound';
import { assignmentsIn, coursesIn, submittedIn, userIn } from './moodle-answers';
import type { MoodleAssignment, MoodleCourse, MoodleIdentity, MoodleTarget } from './moodle.types';

const TIMEOUT_MS = 8_000;
const MAX_BYTES = 4 * 1024 * 1024;
const REST = '/webservice/rest/server.php';
const ERROR_CODE = /^[a-z0-9_/:.-]{1,60}$/i;

/** Error codes for an invalid token. */
const BAD_TOKENS: ReadonlySet<string> = new Set([
  'invalidtoken',
  'accessexception_token',
  'wsaccessuserdeleted',
  'wsaccessusersuspended',
  'wsaccessuserexpired',
  'wsaccessusernologin',
  'forbiddenwstoken',
]);

/** Arguments of a web service function; an array becomes `name[0]`, `name[1]`, … */
type MoodleArguments = Readonly<Record<string, string | number | readonly (string | number)[]>>;

/**
 * Calls web service functions (docs.moodle.org, "Web service API functions") over REST. Moodle sends errors with status 200
 * and `{"exception", "errorcode", "message"}`; the message is never passed on. Rejects with `upstream_auth` (invalid token),
 * `upstream_rejected`, `upstream_bad_response`, `upstream_error`, `upstream_timeout`, `outbound_refused` or `cancelled`.
 */
export class MoodleConnection {
  private readonly logger = new Logger('Moodle');
  private readonly url: string;

  constructor(
    private readonly outbound: Pick<OutboundClient, 'request'>,
    private readonly target: MoodleTarget,
  ) {
    const base = target.apiUrl.replace(/(?<!\/)\/+$/, '');
    this.url = base.endsWith('.php') ? base : base + REST;
  }

  async call(name: string, args: MoodleArguments, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.ask(name, args, signal);
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'internal_error';
      const { organizationId } = this.target;
      if (code !== 'cancelled')
        this.logger.warn({ msg: 'moodle call failed', organization: organizationId, name, code });
      throw error;
    }
  }

  /** The token is in the body, because servers and proxies log URLs. */
  private async ask(name: string, args: MoodleArguments, signal: AbortSignal): Promise<unknown> {
    const { token, trusted } = this.target;
    const body = new URLSearchParams({ wstoken: token, wsfunction: name, moodlewsrestformat: 'json' });
    for (const [key, value] of Object.entries(args)) {
      if (typeof value !== 'object') body.append(key, String(value));
      else for (const [index, one] of value.entries()) body.append(`${key}[${index}]`, String(one));
    }
    const { status, text } = await this.outbound.request({
      url: `${this.url}?${new URLSearchParams({ wsfunction: name, moodlewsrestformat: 'json' }).toString()}`,
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        ...traceHeaders(),
      },
      body: body.toString(),
      signal,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      trusted,
    });
    if (status !== 200) {
      const vendor = { status, message: null, request_id: null, retries: 0 };
      throw new AppError('upstream_error', `Moodle answered with status ${status}`, { vendor });
    }
    return answerOf(text);
  }
}

function answerOf(text: string): unknown {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    const vendor = { status: 200, message: null, request_id: null, retries: 0 };
    throw new AppError('upstream_bad_response', 'Moodle gave an answer that cannot be read', { vendor });
  }
  if (isJsonObject(answer) && ('exception' in answer || 'errorcode' in answer)) throw failureOf(answer.errorcode);
  return answer;
}

function failureOf(errorcode: unknown): AppError {
  const code = typeof errorcode === 'string' && ERROR_CODE.test(errorcode) ? errorcode : 'unknown';
  const vendor = { status: 200, message: code, request_id: null, retries: 0 };
  if (BAD_TOKENS.has(code))
    return new AppError('upstream_auth', `Moodle refuses the token of the organization (${code})`, { vendor });
  if (code === 'accessexception') {
    return new AppError(
      'upstream_rejected',
      'The Moodle token of the organization may not ask for this (accessexception)',
      { vendor },
    );
  }
  return new AppError('upstream_rejected', `Moodle refused the call (${code})`, { vendor });
}

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

const MEMORY = 32 * MEBIBYTE;
/** Bounds the number of entries, too. */
const LEAST_SIZE = Math.ceil(MEMORY / 5_000);

/** The size of an entry is estimated from its JSON. A list of courses fits in one entry. */
export const moodleMemory = (): MoodleMemory =>
  new LRUCache({
    maxSize: MEMORY,
    maxEntrySize: 2 * MEBIBYTE,
    sizeCalculation: (entry, key) => Math.max(LEAST_SIZE, 2 * (JSON.stringify(entry).length + key.length)),
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

  /** Assignments of the first 100 courses, sorted by due date. */
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
