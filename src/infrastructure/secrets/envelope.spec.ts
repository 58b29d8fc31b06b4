import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { open, parseSealed, secretPathOf, seal, type Sealed } from './secrets.service';

const key = randomBytes(32);
const place = secretPathOf('org-1', 'providers.openai.api_key');
const sealedOf = (text: string): Sealed => {
  const sealed = parseSealed(text);
  if (sealed === null) throw new Error('not a sealed value');
  return sealed;
};
const secret = sealedOf(seal('k1', key, place, Buffer.from('sk-canary')));

describe('envelope', () => {
  it('opens what it sealed, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        const plain = Buffer.from(bytes);
        return open(sealedOf(seal('k1', key, place, plain)), key, place).equals(plain);
      }),
    );
  });

  it('never seals the same value to the same text twice', () => {
    expect(seal('k1', key, place, Buffer.from('x'))).not.toBe(seal('k1', key, place, Buffer.from('x')));
  });

  it('names its key', () => expect(secret.kid).toBe('k1'));

  it.each([
    ['another organization', secretPathOf('org-2', 'providers.openai.api_key')],
    ['another field', secretPathOf('org-1', 'providers.ollama.api_key')],
  ])('refuses a value moved to %s', (_, elsewhere) => expect(() => open(secret, key, elsewhere)).toThrow());

  it('refuses another key', () => expect(() => open(secret, randomBytes(32), place)).toThrow());

  it('refuses every single flipped bit', () => {
    for (let bit = 0; bit < secret.payload.length * 8; bit += 1) {
      const payload = Buffer.from(secret.payload);
      payload[bit >> 3] = (payload[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => open({ ...secret, payload }, key, place)).toThrow();
    }
  });

  it('refuses a shortened tag', () => {
    for (const cut of [1, 4, 12]) {
      expect(() => open({ ...secret, payload: secret.payload.subarray(0, -cut) }, key, place)).toThrow();
    }
  });

  it.each(['', 'sk-plain', 'v1:k1', 'v1:k1:', 'v2:k1:AAAA', 'v1:k1:AAAA', 'v1:k1:x:y'])(
    'does not take %j for a sealed value',
    (text) => expect(parseSealed(text)).toBeNull(),
  );
});
