import { createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { decodeToken, encodeToken, type StampedTarget } from './source-links';

const key = createSecretKey(randomBytes(32));
const old = createSecretKey(randomBytes(32));
const targets: fc.Arbitrary<StampedTarget> = fc.record({
  organizationId: fc.uuid(),
  knowledgeBaseId: fc.uuid(),
  documentId: fc.uuid(),
  ownerId: fc.uuid(),
  readerId: fc.uuid(),
  assistantId: fc.option(fc.integer({ min: 1, max: 2 ** 40 })),
  expiresAt: fc.integer({ min: 0, max: 2 ** 40 }),
});
const sample: StampedTarget = {
  organizationId: '0198c0de-0000-7000-8000-000000000001',
  knowledgeBaseId: '0198c0de-0000-7000-8000-000000000002',
  documentId: '0198c0de-0000-7000-8000-000000000003',
  ownerId: '0198c0de-0000-7000-8000-000000000004',
  readerId: '0198c0de-0000-7000-8000-000000000005',
  assistantId: 12,
  expiresAt: 1_800_000_000,
};

describe('token of a source link', () => {
  it('says again what was signed', () => {
    fc.assert(fc.property(targets, (target) => expect(decodeToken(encodeToken(target, key), [key])).toEqual(target)));
  });

  it('is read with an older key too', () => {
    expect(decodeToken(encodeToken(sample, old), [key, old])).toEqual(sample);
    expect(decodeToken(encodeToken(sample, old), [key])).toBeNull();
    expect(decodeToken(encodeToken(sample, key), [])).toBeNull();
  });

  it('is refused with any single bit changed', () => {
    const token = encodeToken(sample, key);
    for (let bit = 0; bit < token.length * 4; bit += 1) {
      const bytes = Buffer.from(token, 'hex');
      bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(decodeToken(bytes.toString('hex'), [key])).toBeNull();
    }
  });

  it('has one spelling', () => {
    const token = encodeToken(sample, key);
    for (const other of [token.toUpperCase(), `${token} `, ` ${token}`, `${token}\n`, `${token}00`, token.slice(2)]) {
      expect(decodeToken(other, [key])).toBeNull();
    }
  });

  it('is refused as anything but a text', () => {
    for (const other of [undefined, null, 1, [encodeToken(sample, key)], {}, '']) {
      expect(decodeToken(other, [key])).toBeNull();
    }
  });

  it('names UUIDs only', () => {
    expect(() => encodeToken({ ...sample, readerId: 'admin@example.edu' }, key)).toThrow('UUID');
  });
});
