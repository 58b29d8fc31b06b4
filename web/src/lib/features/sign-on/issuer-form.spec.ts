import { beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '$lib/kit/api/client';
import { ProblemError } from '$lib/kit/api/problem';
import { IssuerForm } from './issuer-form.svelte';
import type { Issuer } from './issuer-values';

const stored = {
  key: 'campus',
  name: 'Campus',
  issuer: 'https://sso.example.edu',
  client_id: 'bellwether',
  client_secret_configured: true,
  scopes: 'openid',
  trusted_domains: [],
  sign_in_domains: [],
  roles: {},
  organizations: {},
  email_domains: {},
  version: 3,
} as unknown as Issuer;
const STALE = new ProblemError(412, 'precondition_failed', 'another version');

describe('a sign-in service that is edited', () => {
  beforeEach(() => vi.restoreAllMocks());

  it('is made with its key, keeps input typed meanwhile, and never keeps the secret', async () => {
    let arrive: (answer: unknown) => void = () => undefined;
    const post = vi.spyOn(api, 'POST').mockReturnValue(new Promise((resolve) => (arrive = resolve)) as never);
    const form = new IssuerForm('default', null);
    expect(form.dirty).toBe(false);
    Object.assign(form.values, { key: 'campus', name: 'Campus', secret: 'canary' });
    const saving = form.save();
    form.values.name = 'Typed meanwhile';
    arrive({ data: stored });
    expect(await saving).toEqual(stored);
    expect(post.mock.calls[0]?.[1]).toMatchObject({ body: { key: 'campus', name: 'Campus', client_secret: 'canary' } });
    expect([form.values.name, form.values.secret]).toEqual(['Typed meanwhile', '']);
  });

  it('asks before a secret goes to an address that another person entered', async () => {
    const theirs = { ...stored, issuer: 'https://elsewhere.example', version: 4 };
    const patch = vi.spyOn(api, 'PATCH').mockRejectedValueOnce(STALE);
    vi.spyOn(api, 'GET').mockResolvedValue({ data: theirs } as never);
    const form = new IssuerForm('default', stored);
    form.values.secret = 'canary';
    expect(await form.save()).toBeNull();
    expect(form.theirs).toEqual(theirs);
    expect(patch).toHaveBeenCalledTimes(1);
    expect(form.differences.map(({ path }) => path)).toContain('issuer');
  });

  it('is deleted by the version that was seen, and holds nothing unsaved then', async () => {
    const remove = vi.spyOn(api, 'DELETE').mockResolvedValue({} as never);
    const form = new IssuerForm('default', stored);
    form.values.name = 'Changed';
    expect(form.dirty).toBe(true);
    await form.remove();
    expect(remove.mock.calls[0]?.[1]).toMatchObject({ params: { header: { 'if-match': '"3"' } } });
    expect(form.dirty).toBe(false);
  });
});
