import type { Claims, SignOptions } from './keys';
import { CLAIM, ROLES, SCOPE } from './names';

export interface LmsPerson {
  readonly sub: string;
  readonly name?: string;
  readonly given_name?: string;
  readonly family_name?: string;
  readonly email?: string;
  readonly roles: readonly string[];
}

export interface LmsCourse {
  readonly id: string;
  readonly title?: string;
  readonly label?: string;
}

/** A link of a course to the tool, made by hand or by deep linking. */
export interface LmsLink {
  readonly id: string;
  readonly title?: string;
  readonly url?: string;
  readonly custom?: Readonly<Record<string, string>>;
  /** Address of its line item. */
  readonly lineItem?: string;
}

/** One message that the platform sends. Each `change…` makes it a hostile one. */
export interface LmsMessage {
  readonly type?: 'LtiResourceLinkRequest' | 'LtiDeepLinkingRequest';
  readonly person?: LmsPerson;
  /** Null for a launch outside a course. */
  readonly course?: LmsCourse | null;
  readonly link?: LmsLink;
  readonly targetLinkUri?: string;
  readonly locale?: string;
  /** Of a deep-linking request; merged over what the platform accepts. */
  readonly deepLinking?: Readonly<Record<string, unknown>>;
  /** Name of the frame that keeps data for the tool (LTI Platform Storage). */
  readonly storageTarget?: string;
  readonly changeClaims?: (claims: Claims) => Claims;
  readonly sign?: SignOptions;
  /** Replaces the signed token. */
  readonly forge?: (token: string) => string | Promise<string>;
  /** Parameters of the login initiation; undefined leaves one out. */
  readonly changeLogin?: Readonly<Record<string, string | undefined>>;
  /** Fields that the platform posts to the tool; undefined leaves one out. */
  readonly changeAnswer?: Readonly<Record<string, string | undefined>>;
}

export const STUDENT: LmsPerson = {
  sub: 'student-1',
  name: 'Ane Etxeberria',
  given_name: 'Ane',
  family_name: 'Etxeberria',
  email: 'ane@students.example',
  roles: [ROLES.learner],
};

export const TEACHER: LmsPerson = {
  sub: 'teacher-1',
  name: 'Jordi Puig',
  given_name: 'Jordi',
  family_name: 'Puig',
  email: 'jordi@staff.example',
  roles: [ROLES.instructor],
};

export const COURSE: LmsCourse = { id: 'course-1', title: 'Statistics I', label: 'STAT-1' };

interface Sender {
  readonly issuer: string;
  readonly url: string;
  readonly clientId: string;
  readonly deploymentId: string;
}

/** Claims of the ID token (LTI Core 1.3 §5.3, Deep Linking 2.0 §2.1), before a test changes them. */
export function claimsOf(message: LmsMessage, lms: Sender, nonce: string, targetLinkUri: string): Claims {
  const { type = 'LtiResourceLinkRequest', person = STUDENT, course = COURSE, link, locale = 'en' } = message;
  const now = Math.floor(Date.now() / 1_000);
  const { roles, ...profile } = person;
  const inCourse = course === null ? {} : servicesOf(lms.url, course, link);
  return {
    iss: lms.issuer,
    aud: lms.clientId,
    iat: now,
    exp: now + 300,
    nonce,
    ...profile,
    [CLAIM.messageType]: type,
    [CLAIM.version]: '1.3.0',
    [CLAIM.deploymentId]: lms.deploymentId,
    [CLAIM.targetLinkUri]: targetLinkUri,
    [CLAIM.roles]: roles,
    [CLAIM.launchPresentation]: { document_target: 'iframe', locale },
    [CLAIM.toolPlatform]: { guid: lms.url, name: 'Test LMS', product_family_code: 'test', version: '1' },
    ...inCourse,
    ...(type === 'LtiDeepLinkingRequest' ? deepLinkingOf(message, lms.url) : linkOf(link)),
  };
}

const linkOf = ({ id = 'link-1', title = 'Ask about statistics', custom }: Partial<LmsLink> = {}): Claims => ({
  [CLAIM.resourceLink]: { id, title },
  ...(custom !== undefined && { [CLAIM.custom]: custom }),
});

const servicesOf = (url: string, course: LmsCourse, link: LmsLink | undefined): Claims => ({
  [CLAIM.context]: { ...course, type: ['http://purl.imsglobal.org/vocab/lis/v2/course#CourseOffering'] },
  [CLAIM.roster]: {
    context_memberships_url: `${url}/courses/${course.id}/memberships`,
    service_versions: ['2.0'],
  },
  [CLAIM.grades]: {
    scope: [SCOPE.lineItem, SCOPE.lineItemRead, SCOPE.score, SCOPE.result],
    lineitems: `${url}/courses/${course.id}/lineitems`,
    ...(link?.lineItem !== undefined && { lineitem: link.lineItem }),
  },
});

const deepLinkingOf = ({ deepLinking = {} }: LmsMessage, url: string): Claims => ({
  [CLAIM.deepLinkingSettings]: {
    deep_link_return_url: `${url}/deep-link-return`,
    accept_types: ['link', 'ltiResourceLink'],
    accept_presentation_document_targets: ['iframe', 'window'],
    accept_media_types: 'image/*,text/html',
    accept_multiple: true,
    accept_lineitem: true,
    auto_create: false,
    title: 'Choose content',
    data: 'canary-data-of-the-platform',
    ...deepLinking,
  },
});
