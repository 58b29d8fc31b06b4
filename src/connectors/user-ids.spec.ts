import { anonymousParams } from './connectors.service';

describe('parameters without identifiers of people', () => {
  it.each([
    [{ temperature: 1 }, { temperature: 1 }],
    [{ user: 'ada', safety_identifier: 'ada', seed: 1 }, { seed: 1 }],
    [{ metadata: { email: 'a@b.c', course: 'physics' } }, { metadata: { course: 'physics' } }],
    [{ metadata: { user_id: 1, lti_user_id: 2, lis_person_sourcedid: 3 } }, {}],
    [{ metadata: null }, { metadata: null }],
  ])('of %j are %j', (params, kept) => expect(anonymousParams(params)).toEqual(kept));
});
