import { type JsonObject, isJsonObject } from '@bellwether/kernel';
import type { MoodleAssignment, MoodleCourse, MoodleIdentity } from './moodle.types';

const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
]);

const LAST_CODE_POINT = 0x10ffff;

function ofNumber(code: number): string | null {
  const isScalar = code > 0 && code <= LAST_CODE_POINT && (code < 0xd800 || code > 0xdfff);
  return isScalar ? String.fromCodePoint(code) : null;
}

/** Decodes HTML entities once: `&amp;lt;` becomes `&lt;`. */
export const unescaped = (html: string): string =>
  html.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,4}));/g, (whole, decimal, hex, name) => {
    if (typeof decimal === 'string') return ofNumber(Number(decimal)) ?? whole;
    if (typeof hex === 'string') return ofNumber(Number.parseInt(hex, 16)) ?? whole;
    return NAMED.get(String(name)) ?? whole;
  });

const NAME_CHARS = 300;
/** Limits for hostile or broken answers. */
const COURSES = 500;
/** Most assignments read, all courses together. Many more than are shown, because they are not sorted by date. */
const ASSIGNMENTS = 5_000;

/*
 * Readers of web service answers (Moodle, enrol/externallib.php, user/externallib.php, mod/assign/externallib.php). A course
 * always has id, shortname, fullname, idnumber and visible. Incomplete entries are skipped.
 */

const textIn = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? unescaped(value).trim().slice(0, NAME_CHARS).toWellFormed() : null;

/** Some versions send numbers as strings. */
function numberIn(value: unknown): number | null {
  const number = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

function idIn(value: unknown): number | null {
  const id = numberIn(value);
  return id !== null && Number.isSafeInteger(id) && id > 0 ? id : null;
}

const LAST_SECOND = 8.64e12;

/** Converts Moodle's epoch seconds. Null for 0, which Moodle sends for "none". */
function millisecondsIn(value: unknown): number | null {
  const seconds = numberIn(value);
  return seconds !== null && seconds > 0 && seconds < LAST_SECOND ? seconds * 1000 : null;
}

function timeIn(value: unknown): string | null {
  const milliseconds = millisecondsIn(value);
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}

const objects = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

/** Name of the site in `core_webservice_get_site_info`. */
export const siteNameIn = (answer: unknown): string | null => (isJsonObject(answer) ? textIn(answer.sitename) : null);

/** Id of the user; null unless the answer holds exactly one user, who matches the identity. */
export function userIn(answer: unknown, { field, value }: MoodleIdentity): number | null {
  const users = objects(answer);
  const [user] = users;
  if (user === undefined || users.length > 1 || user.suspended === true) return null;
  const given = user[field];
  const isOther = typeof given === 'string' && given.toLowerCase() !== value.toLowerCase();
  return isOther ? null : idIn(user.id);
}

/** Courses that are visible to students. */
export const coursesIn = (answer: unknown): MoodleCourse[] => firstOf(objects(answer), COURSES, courseIn);

function firstOf<T>(entries: readonly JsonObject[], most: number, read: (entry: JsonObject) => T | null): T[] {
  const found: T[] = [];
  for (const entry of entries) {
    if (found.length === most) break;
    const one = read(entry);
    if (one !== null) found.push(one);
  }
  return found;
}

function courseIn(course: JsonObject): MoodleCourse | null {
  const id = idIn(course.id);
  const name = textIn(course.fullname) ?? textIn(course.displayname) ?? textIn(course.shortname);
  if (id === null || name === null || course.visible === 0 || course.visible === false) return null;
  const progress = numberIn(course.progress);
  return {
    id,
    name,
    shortName: textIn(course.shortname) ?? name,
    starts: timeIn(course.startdate),
    ends: timeIn(course.enddate),
    progress: progress === null ? null : Math.round(Math.min(100, Math.max(0, progress))),
    completed: typeof course.completed === 'boolean' ? course.completed : null,
  };
}

/** Assignments with a due date in `courses`. */
export function assignmentsIn(answer: unknown, courses: ReadonlySet<number>): MoodleAssignment[] {
  const found: MoodleAssignment[] = [];
  for (const course of objects(isJsonObject(answer) ? answer.courses : null)) {
    const courseId = idIn(course.id);
    if (courseId === null || !courses.has(courseId)) continue;
    const left = ASSIGNMENTS - found.length;
    found.push(...firstOf(objects(course.assignments), left, (assignment) => assignmentIn(assignment, courseId)));
  }
  return found;
}

function assignmentIn(assignment: JsonObject, courseId: number): MoodleAssignment | null {
  const id = idIn(assignment.id);
  const name = textIn(assignment.name);
  const dueAt = millisecondsIn(assignment.duedate);
  return id === null || name === null || dueAt === null ? null : { id, courseId, name, dueAt };
}

/** Whether the person or their group has submitted; null when the answer does not tell. */
export function submittedIn(answer: unknown): boolean | null {
  const attempt = isJsonObject(answer) ? answer.lastattempt : null;
  if (!isJsonObject(attempt)) return null;
  const states = [attempt.submission, attempt.teamsubmission].flatMap((submission) =>
    isJsonObject(submission) && typeof submission.status === 'string' ? [submission.status] : [],
  );
  return states.includes('submitted');
}
