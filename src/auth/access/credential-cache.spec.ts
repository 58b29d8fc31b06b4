import { type Caller, orNull } from '@bellwether/kernel';
import { CredentialCache, type Known } from './credential-cache';

const caller = { credentialId: 'key', organizationId: 'org' } as unknown as Caller;

function setting(expiresAt = Infinity) {
  const state: { known: Known | null } = { known: { caller, expiresAt } };
  const load = jest.fn(() => Promise.resolve(state.known));
  const cache = new CredentialCache({ load, touch: () => Promise.resolve() });
  const outcome = (): Promise<string> =>
    orNull('unauthenticated', () => cache.get('lookup')).then((found) => (found === null ? 'unauthenticated' : 'in'));
  return { cache, load, outcome, state };
}

describe('a credential that is known', () => {
  beforeEach(() => jest.useFakeTimers({ now: 0 }));
  afterEach(() => jest.useRealTimers());

  it('ends with the millisecond that it names, however fresh it is', async () => {
    const { load, outcome } = setting(1_000);
    jest.setSystemTime(999);
    expect(await outcome()).toBe('in');
    jest.setSystemTime(1_000);
    expect(await outcome()).toBe('unauthenticated');
    expect(load).toHaveBeenCalledTimes(1);
  });

  it.each([
    [4_999, 'in'],
    [5_000, 'unauthenticated'],
  ])('and was revoked elsewhere is after %d ms: %s', async (age, expected) => {
    const { outcome, state } = setting();
    expect(await outcome()).toBe('in');
    state.known = null;
    jest.advanceTimersByTime(age);
    expect(await outcome()).toBe(expected);
  });

  it('is read anew with the next request after a change of its organization, and of no other', async () => {
    const { cache, load, outcome } = setting();
    await outcome();
    cache.forget('other');
    await outcome();
    expect(load).toHaveBeenCalledTimes(1);
    cache.forget('org');
    await outcome();
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('is found with the next request after it was refused and then made', async () => {
    const { cache, load, outcome, state } = setting();
    const { known } = state;
    state.known = null;
    expect([await outcome(), await outcome()]).toEqual(['unauthenticated', 'unauthenticated']);
    expect(load).toHaveBeenCalledTimes(1);
    state.known = known;
    cache.forget('org');
    expect(await outcome()).toBe('in');
  });
});
