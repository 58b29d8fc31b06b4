import { canonicalJson, checkReceipt } from './check-receipt';

const KEY = { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43), kid: 'k', alg: 'EdDSA', use: 'sig' } as const;

const given = (issuer: string): unknown =>
  JSON.parse(
    `{"receipt":{"format":"bellwether-receipt/1","issuer":${issuer},"digests":{},"parts":{}},"signature":"AA","key_id":"k"}`,
  );

describe('a receipt that nobody can have signed', () => {
  it.each([
    ['a number beyond JSON', '1e999'],
    ['depth beyond the stack', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ])('is malformed, and no error: %s', async (_, issuer) => {
    expect(await checkReceipt(given(issuer), [KEY])).toEqual({ valid: false, reason: 'malformed' });
  });
});

describe('JSON in one spelling', () => {
  it.each([
    ['{"b": [1.0, -0, [], {}], "a": {"z": null, "y": "\\u00e9"}}', '{"a":{"y":"é","z":null},"b":[1,0,[],{}]}'],
    [
      '{"constructor": 1, "__proto__": {"b": 1, "a": "\\ud800"}}',
      '{"__proto__":{"a":"\\ud800","b":1},"constructor":1}',
    ],
    ['[["x", 1], 2]', '[["x",1],2]'],
  ])('%s', (text, spelling) => {
    expect(canonicalJson(JSON.parse(text))).toBe(spelling);
  });

  it('leaves absent members out', () => {
    expect(canonicalJson({ b: undefined, a: [undefined, { c: undefined }] })).toBe('{"a":[null,{}]}');
  });
});
