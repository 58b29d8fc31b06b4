import { describe, expect, it } from 'vitest';
import { outcomeIn } from './trial-outcome';

const behind = (value: unknown): string => `#trial=${Buffer.from(JSON.stringify(value)).toString('base64url')}`;

describe('the outcome of a trial sign-in', () => {
  it('is read from the address, with letters of every language', () => {
    const outcome = { problem: null, groups: ['Física >>> ???'], claims: { name: 'Núria 🙂' } };
    expect(outcomeIn(behind(outcome))).toEqual(outcome);
  });

  it('is read where the sign-in failed, without anything else from the address', () => {
    const failed = { failure: 'refused', reason: 'provider: invalid_client' };
    expect(outcomeIn(behind({ ...failed, html: '<b>' }))).toEqual(failed);
    expect(outcomeIn(behind({ failure: 'made up', reason: 'x' }))).toBeNull();
  });

  it.each(['', '#other', '#trial=', '#trial=%%%', '#trial=e30', behind(null), behind({ claims: {}, problem: null })])(
    'is absent in %j',
    (hash) => expect(outcomeIn(hash)).toBeNull(),
  );
});
