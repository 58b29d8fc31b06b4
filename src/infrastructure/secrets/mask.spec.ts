import { MASK, maskSecrets, maskText } from './mask';
import { growthOf, LINEAR_GROWTH } from '../../../test/support/cpu-time';

describe('maskSecrets', () => {
  it.each(['api_key', 'apiKey', 'x-api-key', 'api_token', 'token', 'client_secret', 'Authorization', 'password'])(
    'masks a member named %s at any depth',
    (name) => expect(maskSecrets({ a: [{ [name]: 'plain' }] })).toEqual({ a: [{ [name]: MASK }] }),
  );

  it('masks a whole object under a secret name', () =>
    expect(maskSecrets({ credentials: { user: 'u' } })).toEqual({ credentials: MASK }));

  it.each(['max_tokens', 'api_key_configured', 'tokens_per_month', 'tokenizer', 'secretary', 'monkey'])(
    'leaves a member named %s alone',
    (name) => expect(maskSecrets({ [name]: 5 })).toEqual({ [name]: 5 }),
  );

  it('keeps an absent secret visibly absent', () => expect(maskSecrets({ api_key: null })).toEqual({ api_key: null }));

  it.each([
    'sk-CANARY0123456789',
    `bw_live_abcdefghijkl_${'s'.repeat(43)}`,
    `v1:0a1b2c3d:${'A'.repeat(60)}`,
    'Bearer abcdefghijk',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0abc.c2ln',
  ])('masks the shape %s inside a text', (secret) => {
    expect(maskText(`before ${secret} after`)).toBe(`before ${MASK} after`);
  });

  it.each(['eyJ', 'eyJ-', 'sk-', 'bw_', 'v1:', 'v1:a:', 'AIza', 'ghp_', 'Bearer ', 'Bearer'])(
    'takes linear time over a text of nothing but %s',
    (mark) => {
      expect(growthOf((length) => maskText(mark.repeat(length)), 100_000)).toBeLessThan(LINEAR_GROWTH);
    },
  );

  it('writes dates as ISO 8601', () =>
    expect(maskSecrets({ at: new Date(0) })).toEqual({ at: '1970-01-01T00:00:00.000Z' }));
});
