import { messageIn } from './launch-claims';
import { RefusedLaunch } from './launch.errors';
import { roleIn } from './roles';

const CLAIM = 'https://purl.imsglobal.org/spec/lti/claim/';
const LIS = 'http://purl.imsglobal.org/vocab/lis/v2/';
const [course, institution, system] = [`${LIS}membership#`, `${LIS}institution/person#`, `${LIS}system/person#`];

describe('the role in the course (LTI Core 1.3 §5.3.7, appendix A.2)', () => {
  it.each<[string, unknown, ReturnType<typeof roleIn>]>([
    ['a context role', [`${course}Learner`], 'learner'],
    ['an instructor', [`${course}Instructor`], 'instructor'],
    ['the strongest of several', [`${course}Learner`, `${course}Instructor`], 'instructor'],
    ['a professor who learns here: the context decides', [`${institution}Faculty`, `${course}Learner`], 'learner'],
    ['the same in the other order', [`${course}Learner`, `${institution}Faculty`], 'learner'],
    ['an administrator who learns here', [`${system}Administrator`, `${course}Learner`], 'learner'],
    ['a student who teaches here', [`${institution}Student`, `${course}Instructor`], 'instructor'],
    ['the institution where the context is silent', [`${institution}Student`], 'learner'],
    ['staff of the institution', [`${institution}Staff`], 'instructor'],
    ['the system where both are silent', [`${system}SysAdmin`], 'instructor'],
    ['a short name of the context beside the institution', ['Learner', `${institution}Faculty`], 'learner'],
    ['a sub-role', [`${LIS}membership/Instructor#TeachingAssistant`], 'instructor'],
    ['a sub-role of a learner', [`${LIS}membership/Learner#GuestLearner`], 'learner'],
    ['an unknown context role hides the institution', [`${course}Mentor`, `${institution}Faculty`], null],
    ['one role as a text', `${course}Learner`, 'learner'],
    ['an empty list, which is allowed', [], null],
    ['no roles', undefined, null],
    ['what is no text', [7, null, { role: 'Learner' }], null],
    ['another vocabulary', ['https://uni.example/roles#Boss'], null],
  ])('is told by %s', (_, roles, expected) => expect(roleIn(roles)).toBe(expected));
});

const message = (changes: object = {}): ReturnType<typeof messageIn> =>
  messageIn({
    sub: 'u1',
    name: 'Sam',
    email: 'Sam@uni.example',
    [`${CLAIM}version`]: '1.3.0',
    [`${CLAIM}message_type`]: 'LtiResourceLinkRequest',
    [`${CLAIM}deployment_id`]: 'd1',
    [`${CLAIM}roles`]: [`${course}Learner`],
    [`${CLAIM}resource_link`]: { id: 'r1' },
    ...changes,
  });
const refusal = (changes: object): RefusedLaunch => {
  try {
    message(changes);
  } catch (error) {
    if (error instanceof RefusedLaunch) return error;
  }
  throw new Error('The message was taken');
};
const LONG = 'x'.repeat(256);

describe('a launch message', () => {
  it.each<[string, object, string]>([
    ['no version (§5.3.2)', { [`${CLAIM}version`]: undefined }, 'version'],
    ['another version', { [`${CLAIM}version`]: '1.3' }, 'version'],
    ['an unknown type (§5.3.1)', { [`${CLAIM}message_type`]: 'LtiStartProctoring' }, 'message_type'],
    ['no deployment (§5.3.3)', { [`${CLAIM}deployment_id`]: '' }, 'deployment'],
    ['a deployment of 256 characters', { [`${CLAIM}deployment_id`]: LONG }, 'deployment'],
    ['nobody (§5.3.6.1)', { sub: undefined }, 'subject'],
    ['a subject of 256 characters', { sub: LONG }, 'subject'],
    ['a subject that is a number', { sub: 7 }, 'subject'],
    ['no link (§5.3.5)', { [`${CLAIM}resource_link`]: {} }, 'no_resource'],
    ['no role', { [`${CLAIM}roles`]: [] }, 'role'],
    ['a role that is not known here', { [`${CLAIM}roles`]: [`${course}Mentor`] }, 'role_unknown'],
  ])('is refused with %s', (_, changes, code) => expect(refusal(changes).refusal).toBe(code));

  it('with 255 characters in its ids is taken', () => {
    const id = 'x'.repeat(255);
    expect(message({ sub: id, [`${CLAIM}deployment_id`]: id }).person.subject).toBe(id);
  });

  it('names the roles in the log where none is known, and nothing that the platform writes beside', () => {
    const roles = [`${course}Mentor`, `${institution}Guest`, `urn:\n\u001b[31m${'y'.repeat(500)}`];
    const { detail } = refusal({ [`${CLAIM}roles`]: roles });
    expect(detail).toMatch(/^membership#Mentor institution\/person#Guest urn:\[31my+$/);
    expect(detail.length).toBeLessThanOrEqual(300);
  });

  it.each<[string, unknown, Record<string, string>]>([
    ['texts', { assistant: '1' }, { assistant: '1' }],
    ['whole numbers as their digits', { assistant: 12, person_id: 4343 }, { assistant: '12', person_id: '4343' }],
    ['no parameter that was not substituted (§5.4.7)', { id: '$Canvas.user.id', ok: 'x' }, { ok: 'x' }],
    ['no other type', { a: 1.5, b: null, c: true, d: ['1'], e: { f: '1' }, g: 2 ** 60 }, {}],
    ['nothing of a list', ['assistant'], {}],
  ])('has %s as custom parameters', (_, custom, expected) =>
    expect(message({ [`${CLAIM}custom`]: custom }).custom).toEqual(expected),
  );

  it.each<[string, object, string | null]>([
    ['in lower case', {}, 'sam@uni.example'],
    ['not where the platform calls it unverified', { email_verified: false }, null],
    ['not where it is none', { email: 'sam' }, null],
  ])('tells the address %s', (_, changes, email) => expect(message(changes).person.email).toBe(email));
});
