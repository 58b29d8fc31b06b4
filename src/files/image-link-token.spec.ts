import { createSecretKey } from 'node:crypto';
import { sealToken, uuidToBytes } from '../infrastructure/secrets';
import { decodeImageToken, encodeImageToken } from './images.service';

const key = createSecretKey(Buffer.alloc(32, 1));
const older = createSecretKey(Buffer.alloc(32, 2));
const target = {
  organizationId: '01890000-0000-7000-8000-000000000001',
  ownerId: '01890000-0000-7000-8000-000000000002',
  fileId: '01890000-0000-7000-8000-000000000003',
  assistantId: 7,
  sha256: 'ab'.repeat(32),
};
const { sha256: _hash, ...ids } = target;

describe('the token of an image link', () => {
  it('says what it was made of, whichever key of the ring made it', () => {
    const token = encodeImageToken(target, 1_800_000_000, older);
    expect(decodeImageToken(token, [key, older])).toEqual({
      ...ids,
      sha256Start: 'ab'.repeat(8),
      expiresAt: 1_800_000_000,
    });
  });

  it('is nothing once a digit is changed, and under another key', () => {
    const token = encodeImageToken(target, 1, key);
    for (let at = 0; at < token.length; at += 7) {
      const other = token.slice(0, at) + (token[at] === '0' ? '1' : '0') + token.slice(at + 1);
      expect(decodeImageToken(other, [key])).toBeNull();
    }
    expect(decodeImageToken(token, [older])).toBeNull();
    expect(decodeImageToken(token, [])).toBeNull();
  });

  it.each([undefined, null, '', 'x', ['a'], 'ab'.repeat(79), 'AB'.repeat(79)])('is none: %j', (token) =>
    expect(decodeImageToken(token, [key])).toBeNull(),
  );
});

describe('a link that was given before links named the assistant', () => {
  /** Version 1: expiry, the start of the hash, organization, owner and file. */
  function firstVersion(): string {
    const head = Buffer.alloc(15);
    head.writeUInt8(1);
    head.writeUIntBE(1_800_000_000, 1, 6);
    Buffer.from('ab'.repeat(8), 'hex').copy(head, 7);
    return sealToken(
      Buffer.concat([head, ...[target.organizationId, target.ownerId, target.fileId].map(uuidToBytes)]),
      key,
    );
  }

  it('is still read', () => {
    expect(decodeImageToken(firstVersion(), [key])).toEqual({
      ...ids,
      assistantId: null,
      sha256Start: 'ab'.repeat(8),
      expiresAt: 1_800_000_000,
    });
  });
});
