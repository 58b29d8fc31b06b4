import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '$lib/kit/api/client';
import { ProblemError } from '$lib/kit/api/problem';
import { signIn } from './doors';
import { session, type Me } from './session.svelte';

const person = (user: string, organization = 'o1'): Me =>
  ({ user: { id: user }, organization: { id: organization, features: {} } }) as Me;

/** Another tab. */
const other = new BroadcastChannel('bellwether.session');
const reload = vi.fn();

function answering(me: Me): ReturnType<typeof vi.spyOn> {
  return vi.spyOn(api, 'GET').mockResolvedValue({ data: me, response: new Response() } as never);
}

describe('a tab beside others', () => {
  beforeEach(async () => {
    vi.stubGlobal('location', { ...location, reload });
    sessionStorage.clear();
    localStorage.clear();
    answering(person('u1'));
    await session.load();
    session.lost = false;
    reload.mockClear();
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  it.each([
    ['somebody else', person('u2')],
    ['the same person in another organization', person('u1', 'o2')],
  ])('starts anew when %s signs in', async (_, me) => {
    answering(me);
    other.postMessage(`${me.user.id} ${me.organization.id}`);
    await vi.waitFor(() => expect(reload).toHaveBeenCalled());
    expect(session.left).toBe('replaced');
  });

  it('goes on when the same person signs in', async () => {
    const asked = answering(person('u1'));
    asked.mockClear();
    other.postMessage('u1 o1');
    session.lost = true;
    other.postMessage('u1 o1');
    await vi.waitFor(() => expect(session.lost).toBe(false));
    expect(reload).not.toHaveBeenCalled();
  });

  it('keeps nothing more when the person signs out in one of them', async () => {
    localStorage.setItem('bellwether.draft.u1.classic.new', '{}');
    sessionStorage.setItem('bellwether.playground.u1.o1.7', '[]');
    other.postMessage('out');
    await vi.waitFor(() => expect(session.left).toBe('out'));
    expect([session.lost, localStorage.length, sessionStorage.length]).toEqual([true, 0, 0]);
    await session.load();
    expect(session.left).toBeNull();
  });

  it('says whether memory holds what somebody else saw', async () => {
    vi.stubGlobal('fetch', async () => new Response('{}'));
    expect(await signIn('bw_x')).toBe(false);
    answering(person('u2'));
    expect(await signIn('bw_y')).toBe(true);
  });
});

describe('signing in with a key', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  it('says so when the browser does not keep the cookie', async () => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('{}')));
    vi.spyOn(api, 'GET').mockRejectedValue(new ProblemError(401, 'unauthenticated', 'A credential is required'));
    await expect(signIn('bw_key')).rejects.toMatchObject({ code: 'cookie_not_kept' });
  });
});
