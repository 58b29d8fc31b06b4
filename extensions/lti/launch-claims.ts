import { type JsonObject, cleanName, isJsonObject } from '@bellwether/kernel';
import { type CourseRole, roleIn, shownRoles } from './roles';

/** Why a launch is refused. The page words each for its reader; the log names it. */
export type Refusal =
  | 'bad_request'
  | 'unknown_platform'
  | 'inactive_platform'
  | 'unknown_state'
  | 'platform_error'
  | 'platform_unavailable'
  | 'signature'
  | 'issuer'
  | 'audience'
  | 'expired'
  | 'clock'
  | 'nonce'
  | 'claims'
  | 'version'
  | 'message_type'
  | 'deployment'
  | 'subject'
  | 'role'
  | 'role_unknown'
  | 'no_resource'
  | 'no_assistant'
  | 'assistant_missing'
  | 'assistant_unpublished'
  | 'selection'
  | 'organization'
  | 'disabled'
  | 'administrator'
  | 'sign_on_only'
  | 'lti11_off'
  | 'lti11_ended';

/** The person who reads the page, as far as a verified token says. */
interface Reader {
  readonly role: 'learner' | 'instructor' | null;
  /** BCP 47 tag of the platform's page. */
  readonly locale: string | null;
}

const UNKNOWN: Reader = { role: null, locale: null };

export class RefusedLaunch extends Error {
  constructor(
    readonly refusal: Refusal,
    /** Detail for the log: never a token, never a name. */
    readonly detail: string = refusal,
    readonly reader: Reader = UNKNOWN,
  ) {
    super(`The launch was refused: ${refusal}`);
    this.name = 'RefusedLaunch';
  }
}

const CORE = 'https://purl.imsglobal.org/spec/lti/claim/';
const ROSTER = 'https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice';
const GRADES = 'https://purl.imsglobal.org/spec/lti-ags/claim/endpoint';

export const MESSAGE_TYPES = ['LtiResourceLinkRequest', 'LtiDeepLinkingRequest'] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

const MOST_TITLE = 200;
/** 1EdTech LTI Core 1.3 §5.3: ids of a platform have at most 255 characters. */
const MOST_ID = 255;

export interface LaunchPerson {
  readonly subject: string;
  readonly role: CourseRole;
  readonly name: string | null;
  readonly email: string | null;
}

/** A launch message whose token was verified. */
export interface LaunchMessage {
  readonly type: MessageType;
  readonly deploymentId: string;
  readonly person: LaunchPerson;
  readonly course: { readonly contextId: string; readonly title: string; readonly rosterUrl: string | null } | null;
  readonly link: { readonly id: string; readonly title: string } | null;
  readonly custom: Readonly<Record<string, string>>;
  readonly grades: {
    readonly lineItemsUrl: string | null;
    readonly lineItemUrl: string | null;
    readonly scopes: readonly string[];
  };
  readonly reader: Reader;
  /** Origin of the page that shows the launch, where the platform names its address. */
  readonly frameOrigin: string | null;
  /** All claims, for what other parts read. */
  readonly claims: JsonObject;
}

/** LTI Core 1.3 §5.3. @throws RefusedLaunch */
export function messageIn(claims: JsonObject): LaunchMessage {
  const role = roleIn(claims[`${CORE}roles`]);
  const presentation = objectOf(claims[`${CORE}launch_presentation`]);
  const reader = { role, locale: textOf(presentation['locale']) ?? textOf(claims['locale']) };
  const refuse = (refusal: Refusal): never => {
    throw new RefusedLaunch(refusal, refusal, reader);
  };
  if (claims[`${CORE}version`] !== '1.3.0') refuse('version');
  const type = MESSAGE_TYPES.find((each) => each === claims[`${CORE}message_type`]) ?? refuse('message_type');
  const deploymentId = idOf(claims[`${CORE}deployment_id`]) ?? refuse('deployment');
  const subject = idOf(claims['sub']) ?? refuse('subject');
  if (role === null) throw withoutRole(claims[`${CORE}roles`], reader);
  const link = objectOf(claims[`${CORE}resource_link`]);
  const linkId = idOf(link['id']);
  if (type === 'LtiResourceLinkRequest' && linkId === null) refuse('no_resource');
  return {
    type,
    deploymentId,
    person: { subject, role, name: nameOf(claims), email: emailOf(claims) },
    course: courseOf(claims),
    link: linkId === null ? null : { id: linkId, title: titleOf(link['title']) },
    custom: customOf(claims[`${CORE}custom`]),
    grades: gradesOf(objectOf(claims[GRADES])),
    reader,
    frameOrigin: originOf(presentation['return_url']),
    claims,
  };
}

function withoutRole(claim: unknown, reader: Reader): RefusedLaunch {
  const roles = shownRoles(claim);
  return roles === '' ? new RefusedLaunch('role', 'no role', reader) : new RefusedLaunch('role_unknown', roles, reader);
}

const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

const idOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= MOST_ID && !value.includes('\0') ? value : null;

const titleOf = (value: unknown): string => cleanName(textOf(value) ?? '').slice(0, MOST_TITLE);

const addressOf = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= 2_000 && URL.canParse(value) ? value : null;

const originOf = (value: unknown): string | null => {
  const address = addressOf(value);
  const { protocol, origin } = address === null ? { protocol: '', origin: '' } : new URL(address);
  return /^https?:$/.test(protocol) ? origin : null;
};

function courseOf(claims: JsonObject): LaunchMessage['course'] {
  const context = objectOf(claims[`${CORE}context`]);
  const contextId = idOf(context['id']);
  if (contextId === null) return null;
  const title = titleOf(context['title']) || titleOf(context['label']) || contextId.slice(0, MOST_TITLE);
  const rosterUrl = addressOf(objectOf(claims[ROSTER])['context_memberships_url']);
  return { contextId, title, rosterUrl };
}

const gradesOf = (endpoint: JsonObject): LaunchMessage['grades'] => ({
  lineItemsUrl: addressOf(endpoint['lineitems']),
  lineItemUrl: addressOf(endpoint['lineitem']),
  scopes: Array.isArray(endpoint['scope']) ? endpoint['scope'].filter((each) => typeof each === 'string') : [],
});

/** Parameters that the platform did not substitute are empty (LTI Core 1.3 §5.4.7). Some platforms send ids as numbers. */
function customOf(value: unknown): Readonly<Record<string, string>> {
  const known = Object.entries(objectOf(value)).flatMap(([name, each]) => {
    const text = scalarText(each);
    return text === null || text.startsWith('$') ? [] : [[name, text] as const];
  });
  return Object.fromEntries(known);
}

/** A text as it is, or a whole number as its digits; null for anything else. */
export const scalarText = (value: unknown): string | null =>
  typeof value === 'string' ? value : Number.isSafeInteger(value) ? String(value) : null;

function nameOf({ name, given_name: given, family_name: family }: JsonObject): string | null {
  const whole = textOf(name) ?? textOf([textOf(given), textOf(family)].filter((part) => part !== null).join(' '));
  return whole === null ? null : cleanName(whole).slice(0, MOST_TITLE);
}

/** An address that the platform calls unverified does not count. */
function emailOf({ email, email_verified: verified }: JsonObject): string | null {
  const text = textOf(email)?.toLowerCase() ?? null;
  return text !== null && text.length <= 254 && /^[^\s@\0]+@[^\s@\0]+$/.test(text) && verified !== false ? text : null;
}
