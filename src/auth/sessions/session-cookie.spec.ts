import type { Response } from 'express';
import type { Config } from '../../infrastructure/config';
import { SessionCookie, newSessionToken } from './session-cookie';

const cookieFor = (publicUrl: string | null): SessionCookie =>
  new SessionCookie({ http: { publicUrl } as Config['http'], sessions: { days: 30, idleDays: 14 } });

function written(cookie: SessionCookie, token: string): unknown[] {
  let given: unknown[] = [];
  cookie.set({ cookie: (...all: unknown[]) => void (given = all) } as unknown as Response, token);
  return given;
}

describe('the cookie of a session', () => {
  const token = newSessionToken();
  const rules = { httpOnly: true, sameSite: 'lax', path: '/', maxAge: 30 * 86_400_000 };

  it('is bound to its host behind TLS', () => {
    const cookie = cookieFor('https://bellwether.example.edu');
    expect(written(cookie, token)).toEqual(['__Host-bw', token, { ...rules, secure: true }]);
    expect(cookie.tokenOf({ cookie: `a=1; __Host-bw=${token}; b=2` })).toBe(token);
    expect(cookie.tokenOf({ cookie: `bw=${token}` })).toBeNull();
  });

  it('has a plain name on http', () => {
    const cookie = cookieFor(null);
    expect(written(cookie, token)).toEqual(['bw', token, { ...rules, secure: false }]);
    expect(cookie.tokenOf({ cookie: `bw=${token}` })).toBe(token);
  });

  it.each([
    ['no cookie at all', undefined],
    ['others only', 'theme=dark; xbw=1'],
    ['one that is no token', 'bw=hello'],
    ['two that differ', `bw=${token}; bw=${newSessionToken()}`],
    ['a quoted one', `bw="${token}"`],
  ])('is not found in %s', (_, cookie) => {
    expect(cookieFor(null).tokenOf(cookie === undefined ? {} : { cookie })).toBeNull();
  });

  it('holds 256 bits that never repeat', () => {
    expect(new Set(Array.from({ length: 1_000 }, newSessionToken)).size).toBe(1_000);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  });
});
