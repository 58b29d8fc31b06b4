import type { LambOrganization } from '@bellwether/lamb-reader';
import { slugHere } from './organization-settings';

describe('the slug of an imported organization', () => {
  it.each([
    ['biology', 'biology'],
    ['Biology_Dept', 'biology-dept'],
    ['  Història – 2 ', 'historia-2'],
    ['a', 'organization-5'],
    ['学校', 'organization-5'],
    [`${'x'.repeat(62)}-yz`, 'x'.repeat(62)],
  ])('of %j is %j', (slug, own) => expect(slugHere({ id: 5, slug } as LambOrganization, undefined)).toBe(own));
});
