import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import OAuth from 'oauth-1.0a';
import { assertInTime, hmacSha1, signedFormOf } from './signed-form';

const ADDRESS = 'https://lamb.example.edu/lamb/v1/lti/launch';

/** Signed by a library. */
function signed(parameters: Record<string, string>, secret: string, address = ADDRESS): Record<string, string> {
  const oauth = new OAuth({
    consumer: { key: 'lamb', secret },
    signature_method: 'HMAC-SHA1',
    hash_function: (base, key) => createHmac('sha1', key).update(base).digest('base64'),
  });
  const data = oauth.authorize({ url: address, method: 'POST', data: parameters });
  const texts = Object.entries(data).map(([name, value]) => [name, String(value)]);
  return { ...parameters, ...(Object.fromEntries(texts) as Record<string, string>) };
}

const signatureOf = (body: Record<string, unknown>, secret: string, address = ADDRESS): string | undefined => {
  const { bases } = signedFormOf([address], body);
  return bases.map((base) => hmacSha1(base, secret))[0];
};

describe('an OAuth 1.0 signature', () => {
  it('is that of another implementation, for any text', () => {
    const text = fc.string({ unit: 'binary', minLength: 1 });
    const name = text.filter((each) => !each.startsWith('oauth_') && each !== '__proto__');
    fc.assert(
      fc.property(fc.dictionary(name, fc.string({ unit: 'binary' })), text, (parameters, secret) => {
        const body = signed({ ...parameters }, secret);
        expect(signatureOf(body, secret)).toBe(body['oauth_signature']);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    'https://lamb.example.edu/lamb/v1/lti/launch?course=2&name=a%20b',
    'https://LAMB.example.edu:443/lamb/v1/lti/launch',
    'http://lamb.example.edu:8080/lamb/v1/lti/launch',
  ])('covers the address %s', (address) => {
    const body = signed({ user_id: '5' }, 's', address.replace('LAMB', 'lamb').replace(':443', ''));
    expect(signatureOf(body, 's', address)).toBe(body['oauth_signature']);
  });

  it('covers a query that the form does not repeat', () => {
    const { course, ...body } = signed({ user_id: '5' }, 's', `${ADDRESS}?course=2`);
    expect(course).toBe('2');
    expect(signatureOf(body, 's', `${ADDRESS}?course=2`)).toBe(body['oauth_signature']);
    expect(signatureOf(body, 's', `${ADDRESS}?course=3`)).not.toBe(body['oauth_signature']);
  });

  it('reads no form with a parameter twice, in the address or in the body', () => {
    const body = signed({ user_id: '5' }, 's');
    expect(() => signatureOf({ ...body, user_id: ['5', '6'] }, 's')).toThrow('bad_request');
    expect(() => signatureOf(body, 's', `${ADDRESS}?user_id=6`)).toThrow('bad_request');
    expect(() => signatureOf({ ...body, user_id: { toString: null } }, 's')).toThrow('bad_request');
  });

  it.each(['oauth_consumer_key', 'oauth_signature', 'oauth_timestamp', 'oauth_nonce', 'oauth_signature_method'])(
    'needs %s, and a sensible one',
    (name) => {
      const body = signed({ user_id: '5' }, 's');
      for (const value of ['', ' '.repeat(256), undefined, 'a\0']) {
        const { [name]: _gone, ...rest } = body;
        expect(() => signatureOf(value === undefined ? rest : { ...body, [name]: value }, 's')).toThrow('bad_request');
      }
    },
  );
});

describe('a signed form (RFC 5849 §3)', () => {
  const body = (): Record<string, string> => signed({ user_id: '5' }, 's');
  const refusalOf = (act: () => unknown): unknown => {
    try {
      act();
      return null;
    } catch (error) {
      return (error as { refusal: unknown }).refusal;
    }
  };
  it.each([
    ['§3.3: at the tolerance', -300, null],
    ['§3.3: one second older', -301, 'expired'],
    ['§3.3: ahead at the tolerance', 300, null],
    ['§3.3: one second further ahead', 301, 'clock'],
  ])('%s', (_, shift, expected) =>
    expect(refusalOf(() => assertInTime({ timestamp: 1_800_000_000 + shift }, 1_800_000_000_999))).toBe(expected),
  );

  it.each<[string, Record<string, unknown>, string | null]>([
    ['§3.2: version 1.0', { oauth_version: '1.0' }, null],
    ['§3.2: no version', { oauth_version: undefined }, null],
    ['§3.2: another version', { oauth_version: '2.0' }, 'bad_request'],
    ['§3.1: HMAC-SHA1', {}, null],
    ['§3.1: another method', { oauth_signature_method: 'HMAC-SHA256' }, 'bad_request'],
    ['§3.1: no signature at all', { oauth_signature_method: 'PLAINTEXT' }, 'bad_request'],
    ['§3.3: a time that is no number', { oauth_timestamp: '-1' }, 'bad_request'],
    ['§3.3: the longest time', { oauth_timestamp: '9'.repeat(12) }, null],
    ['§3.3: a longer time', { oauth_timestamp: '9'.repeat(13) }, 'bad_request'],
    ['the longest nonce', { oauth_nonce: 'n'.repeat(255) }, null],
    ['a longer nonce', { oauth_nonce: 'n'.repeat(256) }, 'bad_request'],
  ])('%s', (_, changes, expected) => {
    const all = Object.entries({ ...body(), ...changes }).filter(([, value]) => value !== undefined);
    expect(refusalOf(() => signedFormOf([ADDRESS], Object.fromEntries(all)))).toBe(expected);
  });
});
