import { RefusedLaunch, messageIn } from './launch-claims';
import { roleIn } from './roles';

const CLAIM = 'https://purl.imsglobal.org/spec/lti/claim/';
const LIS = 'http://purl.imsglobal.org/vocab/lis/v2/';
const [course, institution, system] = [`${LIS}membership#`, `${LIS}institution/person#`, `${LIS}system/person#`];

describe('the role in the course (LTI Core 1.3 §5.3.7, appendix A.2)', () => {
  it.each<readonly [string, unknown, ReturnType<typeof roleIn>]>([
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
    ['an empty text', '', null],
    ...['ContentDeveloper', 'TeachingAssistant', 'Administrator'].map(
      (name) => [`the context role ${name}`, [`${course}${name}`], 'instructor'] as const,
    ),
    ...['Student', 'Member', 'Observer', 'ProspectiveStudent'].map(
      (name) => [`the institution role ${name}`, [`${institution}${name}`], 'learner'] as const,
    ),
    ['the institution role Faculty', [`${institution}Faculty`], 'instructor'],
    ['the administrator of the institution', [`${institution}Administrator`], 'instructor'],
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
    ['that the platform calls verified', { email_verified: true }, 'sam@uni.example'],
    ['not where the platform calls it unverified', { email_verified: false }, null],
    ['not where it is none', { email: 'sam' }, null],
    ['not where there are two', { email: 'sam@uni.example, eve@uni.example' }, null],
    ['not where two run into each other', { email: 'sam@uni.example@uni.example' }, null],
    ['not where the platform sends none', { email: undefined }, null],
    ['of 254 characters', { email: `${'x'.repeat(242)}@uni.example` }, `${'x'.repeat(242)}@uni.example`],
    ['not of 255', { email: `${'x'.repeat(243)}@uni.example` }, null],
  ])('tells the address %s', (_, changes, email) => expect(message(changes).person.email).toBe(email));

  it.each<[string, object, string | null]>([
    ['whole', { name: ' Sam Ito ', given_name: 'Sam' }, 'Sam Ito'],
    ['from its parts', { name: ' ', given_name: ' Sam ', family_name: 'Ito' }, 'Sam Ito'],
    ['from one part', { name: undefined, given_name: 7, family_name: 'Ito' }, 'Ito'],
    ['not without any', { name: undefined }, null],
    ['without signs that control', { name: 'Sam\0Ito\u001b' }, 'Sam Ito'],
    ['of at most 200 characters', { name: 'x'.repeat(201) }, 'x'.repeat(200)],
  ])('tells the name %s (OpenID Connect Core 1.0 §5.1)', (_, changes, name) =>
    expect(message(changes).person.name).toBe(name),
  );

  const ROSTER = 'https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice';
  const context = (claim: unknown, roster: unknown = undefined): ReturnType<typeof messageIn>['course'] =>
    message({ [`${CLAIM}context`]: claim, [ROSTER]: roster }).course;
  it.each<[string, unknown, string | null]>([
    ['by its title', { id: 'c1', title: 'Biology', label: 'BIO' }, 'Biology'],
    ['by its label without a title', { id: 'c1', title: ' ', label: 'BIO' }, 'BIO'],
    ['by its id without both', { id: 'c1' }, 'c1'],
    ['by a title of at most 200 characters', { id: 'c1', title: 'x'.repeat(201) }, 'x'.repeat(200)],
    ['by the start of a long id', { id: 'x'.repeat(255) }, 'x'.repeat(200)],
    ['not without an id, which is required (§5.4.1)', { title: 'Biology' }, null],
    ['not where there is none', undefined, null],
  ])('names the course %s', (_, claim, title) => expect(context(claim)?.title ?? null).toBe(title));

  it('knows the course by its id, and its roster where the platform offers one', () => {
    const address = 'https://lms.example/roster';
    expect(context({ id: 'c1', title: 'Biology' })).toEqual({ contextId: 'c1', title: 'Biology', rosterUrl: null });
    expect(context({ id: 'c1' }, { context_memberships_url: address })?.rosterUrl).toBe(address);
    expect(context({ id: 'c1' }, { context_memberships_url: '/roster' })?.rosterUrl).toBeNull();
    expect(context({ id: 'c1' }, { context_memberships_url: 7 })?.rosterUrl).toBeNull();
  });

  const GRADES = 'https://purl.imsglobal.org/spec/lti-ags/claim/endpoint';
  const long = (length: number): string => `https://lms.example/${'x'.repeat(length - 20)}`;
  it.each<[string, unknown, object]>([
    ['all addresses and scopes', { lineitems: long(30), lineitem: long(31), scope: ['a', 'b'] }, {}],
    ['no scope that is no text', { lineitems: long(30), lineitem: long(31), scope: ['a', 7, 'b', null] }, {}],
    [
      'no address of 2,001 characters',
      { lineitems: long(2_001) },
      { lineItemsUrl: null, lineItemUrl: null, scopes: [] },
    ],
    ['one of 2,000', { lineitems: long(2_000) }, { lineItemsUrl: long(2_000), lineItemUrl: null, scopes: [] }],
    ['nothing of a platform without grades', undefined, { lineItemsUrl: null, lineItemUrl: null, scopes: [] }],
    [
      'no scopes in a text',
      { lineitem: long(30), scope: 'a b' },
      { lineItemsUrl: null, lineItemUrl: long(30), scopes: [] },
    ],
  ])('has %s of the grades (Assignment and Grade Services 2.0 §3.1)', (_, claim, expected) =>
    expect(message({ [GRADES]: claim }).grades).toEqual({
      ...{ lineItemsUrl: long(30), lineItemUrl: long(31), scopes: ['a', 'b'], ...expected },
    }),
  );

  const shown = (claim: unknown, more: object = {}): ReturnType<typeof messageIn> =>
    message({ [`${CLAIM}launch_presentation`]: claim, ...more });
  it.each<[string, unknown, string | null]>([
    [
      'of the address to go back to',
      { return_url: 'https://lms.example:8443/course/1?x=2' },
      'https://lms.example:8443',
    ],
    ['without TLS', { return_url: 'http://lms.example/' }, 'http://lms.example'],
    ['of no other scheme', { return_url: 'xhttps://lms.example/' }, null],
    ['of no text that is no address', { return_url: 'lms.example' }, null],
    ['of nothing', undefined, null],
  ])('comes from the origin %s', (_, claim, origin) => expect(shown(claim).frameOrigin).toBe(origin));

  it('is read in the language of the page, else in that of the person', () => {
    expect(shown({ locale: 'eu' }, { locale: 'es' }).reader).toEqual({ role: 'learner', locale: 'eu' });
    expect(shown({ locale: ' ' }, { locale: ' es ' }).reader.locale).toBe('es');
    expect(shown({}).reader.locale).toBeNull();
    expect(refusal({ locale: 'ca', sub: undefined }).reader).toEqual({ role: 'learner', locale: 'ca' });
  });

  it('has a link with a title of at most 200 characters, which a message for selection may lack', () => {
    const link = (claim: object, type: string): ReturnType<typeof messageIn>['link'] =>
      message({ [`${CLAIM}resource_link`]: claim, [`${CLAIM}message_type`]: type }).link;
    const title = ` Week\u00001${'x'.repeat(200)}`;
    expect(link({ id: 'r1', title }, 'LtiResourceLinkRequest')).toEqual({
      id: 'r1',
      title: `Week 1${'x'.repeat(194)}`,
    });
    expect(link({ id: 'r1' }, 'LtiResourceLinkRequest')).toEqual({ id: 'r1', title: '' });
    expect(link({}, 'LtiDeepLinkingRequest')).toBeNull();
  });

  it('tells the log which refusal it is, and that no role was sent', () => {
    expect(refusal({ sub: undefined })).toMatchObject({
      ...{ name: 'RefusedLaunch', message: 'The launch was refused: subject', detail: 'subject' },
    });
    expect(refusal({ [`${CLAIM}roles`]: [''] }).detail).toBe('no role');
    expect(new RefusedLaunch('nonce').reader).toEqual({ role: null, locale: null });
  });
});
