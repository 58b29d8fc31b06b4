import { credentialOf } from './credential';

describe('credentialOf', () => {
  it.each([
    [{ authorization: 'Bearer bw_a' }],
    [{ authorization: 'bearer bw_a' }],
    [{ 'x-api-key': 'bw_a' }],
    [{ authorization: 'Bearer bw_a', 'x-api-key': 'bw_a' }],
  ])('finds the key in %j', (headers) => expect(credentialOf(headers)).toBe('bw_a'));

  it.each([
    [{}],
    [{ authorization: '' }],
    [{ authorization: 'Bearer' }],
    [{ authorization: 'Bearer ' }],
    [{ authorization: 'Basic bw_a' }],
    [{ authorization: 'bw_a' }],
    [{ authorization: 'Bearer bw_a bw_b' }],
    [{ 'x-api-key': '' }],
    [{ authorization: 'Bearer bw_a', 'x-api-key': 'bw_b' }],
    [{ authorization: 'Basic x', 'x-api-key': 'bw_a' }],
  ])('refuses %j', (headers) =>
    expect(() => credentialOf(headers)).toThrow(expect.objectContaining({ code: 'unauthenticated' })),
  );
});
