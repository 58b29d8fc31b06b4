import { hashOf, looksLikeApiKey, newApiKey, publicIdOf } from './api-key';

describe('newApiKey', () => {
  it('has the documented shape and names its own id', () => {
    for (let count = 0; count < 200; count += 1) {
      const { key, publicId, hash } = newApiKey();
      expect(key).toMatch(/^bw_live_[A-Za-z0-9]{12}_[A-Za-z0-9_-]{43}$/);
      expect(publicIdOf(key)).toBe(publicId);
      expect(hash).toBe(hashOf(key));
      expect(looksLikeApiKey(key)).toBe(true);
    }
  });

  it('differs every time', () => expect(newApiKey().key).not.toBe(newApiKey().key));
});

describe('looksLikeApiKey', () => {
  it.each([
    "' OR '1'='1",
    "bw_' OR '1'='1",
    '',
    'bw_',
    'sk-abc',
    'bw_a b',
    'bw_\u0000',
    `bw_${'a'.repeat(254)}`,
    'bw_ä',
  ])('refuses %j', (text) => expect(looksLikeApiKey(text)).toBe(false));

  it('takes a key that an operator chose', () => {
    expect(looksLikeApiKey(`bw_${'k'.repeat(253)}`)).toBe(true);
    expect(looksLikeApiKey(`bw_${'k'.repeat(40)}`)).toBe(true);
    expect(publicIdOf(`bw_${'k'.repeat(40)}`)).toBeNull();
  });
});
