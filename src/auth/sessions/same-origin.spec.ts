import { assertNotForeign, assertSameOrigin, isSafeMethod, type OwnOrigin } from './session-cookie';

const PLAIN: OwnOrigin = { publicOrigin: null, isSecure: false };
const SECURE: OwnOrigin = { publicOrigin: 'https://bellwether.example.edu', isSecure: true };
const host = 'localhost:3000';

const strictly = (headers: Record<string, string>, own: OwnOrigin): boolean => {
  try {
    assertSameOrigin(headers, own);
    return true;
  } catch {
    return false;
  }
};
const loosely = (headers: Record<string, string>, own: OwnOrigin): boolean => {
  try {
    assertNotForeign(headers, own);
    return true;
  } catch {
    return false;
  }
};

describe('a request with a cookie', () => {
  it.each([
    ['Sec-Fetch-Site: same-origin', { host, 'sec-fetch-site': 'same-origin' }, PLAIN, true],
    ['Sec-Fetch-Site: none', { host, 'sec-fetch-site': 'none' }, PLAIN, true],
    ['Sec-Fetch-Site: same-site', { host, 'sec-fetch-site': 'same-site' }, PLAIN, false],
    ['Sec-Fetch-Site: cross-site', { host, 'sec-fetch-site': 'cross-site' }, PLAIN, false],
    ['an Origin that contradicts', { host, 'sec-fetch-site': 'cross-site', origin: `http://${host}` }, PLAIN, false],
    ['the Origin of its host', { host, origin: `http://${host}` }, PLAIN, true],
    ['another port', { host, origin: 'http://localhost:3001' }, PLAIN, false],
    ['the Origin null', { host, origin: 'null' }, PLAIN, false],
    ['the public Origin', { host: 'inner:3000', origin: 'https://bellwether.example.edu' }, SECURE, true],
    ['its host behind TLS', { host, origin: `https://${host}` }, SECURE, false],
    ['a name that only begins alike', { host, origin: 'https://bellwether.example.edu.evil.example' }, SECURE, false],
    ['plain http of the public name', { host, origin: 'http://bellwether.example.edu' }, SECURE, false],
  ])('with %s', (_, headers, own, isOurs) => {
    expect(strictly(headers, own)).toBe(isOurs);
    expect(loosely(headers, own)).toBe(isOurs);
  });

  it('that tells nothing is refused; who has no cookie yet may be no browser at all', () => {
    expect([strictly({ host }, PLAIN), loosely({ host }, PLAIN)]).toEqual([false, true]);
  });

  it.each(['GET', 'HEAD', 'OPTIONS', 'get'])('with the method %s changes nothing', (method) => {
    expect(isSafeMethod(method)).toBe(true);
  });
  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'X'])('with the method %s may', (method) => {
    expect(isSafeMethod(method)).toBe(false);
  });
});
