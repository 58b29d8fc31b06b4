import { isSignedBy, leadsToLamb, legacyClaimIn } from './legacy-links.service';

const CORE = 'https://purl.imsglobal.org/spec/lti/claim/';

/** The example of the 1EdTech LTI 1.3 Migration Guide, "LTI 1.1 Migration Claim". */
const EXAMPLE = {
  nonce: '172we8671fd8z',
  iat: 1551290796,
  exp: 1551290856,
  iss: 'https://lmsvendor.com',
  aud: 'PM48OJSfGDTAzAo',
  sub: '3',
};
const CLAIM = {
  user_id: '34212',
  oauth_consumer_key: '179248902',
  oauth_consumer_key_sign: 'lWd54kFo5qU7xshAna6v8BwoBm6tmUjc6GTax6+12ps=',
};

const claimOf = (claim: unknown, more: object = {}) =>
  legacyClaimIn(
    {
      claims: { ...EXAMPLE, ...more, [`${CORE}lti1p1`]: claim },
      deploymentId: '689302',
      person: { subject: '3', role: 'learner', name: null, email: null },
      link: { id: 'r9', title: '' },
      course: { contextId: 'c9', title: '', rosterUrl: null },
    },
    'PM48OJSfGDTAzAo',
  );

describe('the claim lti1p1', () => {
  it('is signed as in the example of the specification', () => {
    const claim = claimOf(CLAIM);
    expect(claim).toMatchObject({ consumerKey: '179248902', userId: '34212', resourceLinkId: 'r9', contextId: 'c9' });
    expect([isSignedBy(claim, 'my-lti11-secret'), isSignedBy(claim, 'other')]).toEqual([true, false]);
  });

  it.each([
    ['another key', { ...CLAIM, oauth_consumer_key: '1' }, {}],
    ['no signature', { ...CLAIM, oauth_consumer_key_sign: undefined }, {}],
    ['another token', CLAIM, { nonce: 'other' }],
    ['no text', { ...CLAIM, oauth_consumer_key_sign: ['lWd5'] }, {}],
    ['no object', 'lti1p1', {}],
  ])('with %s is not signed', (_name, claim, more) => {
    expect(isSignedBy(claimOf(claim, more), 'my-lti11-secret')).toBe(false);
  });

  it('leaves out ids that did not change', () => {
    expect(claimOf({})).toMatchObject({ userId: '3', resourceLinkId: 'r9', contextId: 'c9', guid: '', signed: null });
    const all = { user_id: 'u', resource_link_id: 'r', context_id: 'c', tool_consumer_instance_guid: 'g' };
    expect(claimOf(all)).toMatchObject({ userId: 'u', resourceLinkId: 'r', contextId: 'c', guid: 'g' });
    const claims = { [`${CORE}lti11_legacy_user_id`]: 'old', [`${CORE}tool_platform`]: { guid: 'p' } };
    expect(claimOf({}, claims)).toMatchObject({ userId: 'old', guid: 'p' });
  });
});

it('knows the links that lead to LAMB', () => {
  const leads = (target: unknown): boolean => leadsToLamb({ claims: { [`${CORE}target_link_uri`]: target } });
  expect(['https://a.example/lamb/v1/lti/launch', 'https://a.example/lamb/v1/lti_users/lti/?x=1'].map(leads)).toEqual([
    true,
    true,
  ]);
  expect(['https://a.example/lti/launch', '/lamb/v1/lti/launch', 7].map(leads)).toEqual([false, false, false]);
});
