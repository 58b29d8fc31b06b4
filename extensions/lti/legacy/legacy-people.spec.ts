import { fingerprint } from '../../lamb-import/organization-settings';
import { LegacyPersonImport } from './legacy-people.repository';

describe('an imported person of LTI 1.1', () => {
  it('has the fingerprint that earlier imports stored', () => {
    const { compared } = new LegacyPersonImport();
    const person = { entry: 'activity', legacyUserId: '7', email: null, userId: 'u' } as const;
    expect(fingerprint(compared(person))).toBe('34b218914852c0be487628357503af797b98c952b969627f9b8d42e64fbeefa0');
  });
});
