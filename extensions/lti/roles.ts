export type CourseRole = 'learner' | 'instructor';

const VOCABULARY = 'http://purl.imsglobal.org/vocab/lis/v2/';

/** Names of the LIS vocabulary (LTI Core 1.3 appendix A), in any of its three parts or in the short form. */
const INSTRUCTORS = new Set([
  'Instructor',
  'ContentDeveloper',
  'TeachingAssistant',
  'Administrator',
  'SysAdmin',
  'Faculty',
  'Staff',
]);
const LEARNERS = new Set(['Learner', 'Student', 'Member', 'Observer', 'ProspectiveStudent']);

/**
 * The role in the course. Roles in the context decide; without one, those in the institution do. Administrators of the
 * platform count as instructors of the course, and as nothing more. Null for no role that is known here.
 */
export function roleIn(claim: unknown): CourseRole | null {
  const roles = rolesOf(claim);
  const inContext = roles.filter(isInContext).map(nameOf);
  const names = inContext.length > 0 ? inContext : roles.map(nameOf);
  if (names.some((name) => INSTRUCTORS.has(name))) return 'instructor';
  return names.some((name) => LEARNERS.has(name)) ? 'learner' : null;
}

const MOST_SHOWN = 300;

/** The roles as the platform names them, for the log; empty without any. */
export const shownRoles = (claim: unknown): string =>
  rolesOf(claim)
    .map((role) => role.replace(VOCABULARY, ''))
    .join(' ')
    .replace(/[^\x21-\x7e ]/g, '')
    .slice(0, MOST_SHOWN);

/** Some platforms send one role as a text. */
const rolesOf = (claim: unknown): string[] =>
  (Array.isArray(claim) ? claim : [claim]).filter((role): role is string => typeof role === 'string' && role !== '');

const isInContext = (role: string): boolean => role.startsWith(`${VOCABULARY}membership`) || /^[A-Za-z]+$/.test(role);

/** `…/membership/Instructor#TeachingAssistant` is a sub-role of Instructor. */
function nameOf(role: string): string {
  const principal = /\/membership\/([A-Za-z]+)#/.exec(role)?.[1];
  return principal ?? role.slice(Math.max(role.lastIndexOf('#'), role.lastIndexOf('/')) + 1);
}
