import { checkReceipt } from './check-receipt';
import { RECEIPT_FORMAT } from './receipt.types';

const KEY = { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43), kid: 'k', alg: 'EdDSA', use: 'sig' } as const;

const given = (issuer: string): unknown =>
  JSON.parse(
    `{"receipt":{"format":"${RECEIPT_FORMAT}","issuer":${issuer},"digests":{},"parts":{}},"signature":"AA","key_id":"k"}`,
  );

describe('a receipt that nobody can have signed', () => {
  it.each([
    ['a number beyond JSON', '1e999'],
    ['depth beyond the stack', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ])('is malformed, and no error: %s', async (_, issuer) => {
    expect(await checkReceipt(given(issuer), [KEY])).toEqual({ valid: false, reason: 'malformed' });
  });
});
