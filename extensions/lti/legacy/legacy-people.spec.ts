import { LegacyPersonImport } from './legacy-people.repository';

describe('an imported person of LTI 1.1', () => {
  // Earlier imports stored fingerprints of these names; another name would look like a person that was changed here.
  it('is compared under the names that earlier imports stored', () => {
    const { compared } = new LegacyPersonImport();
    const person = { entry: 'activity', legacyUserId: '7', email: null, userId: 'u' } as const;
    expect(Object.keys(compared(person)).sort()).toEqual(['door', 'email', 'legacyUserId', 'userId']);
  });
});
