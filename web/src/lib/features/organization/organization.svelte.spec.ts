import { beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '$lib/kit/api/client';
import { ProblemError } from '$lib/kit/api/problem';
import { OrganizationState } from './organization.svelte';
import type { Organization } from './organization.types';

/** A service that keeps one organization, as far as this page asks it. */
class Service {
  tags: string[] = [];
  kept = {
    version: 1,
    name: 'Physics',
    models: [] as string[],
    features: { sharing: true },
    providers: { openai: { enabled: true, api_key_configured: false } } as Record<string, unknown>,
  };

  constructor() {
    vi.spyOn(api, 'GET').mockImplementation((async () => ({ data: this.kept })) as never);
    vi.spyOn(api, 'PATCH').mockImplementation((async (_: string, sent: never) => this.patch(sent)) as never);
  }

  change(changes: object): void {
    this.kept = { ...this.kept, ...changes, version: this.kept.version + 1 };
  }

  private patch({ params, body }: { params: { header: Record<string, string> }; body: object }): { data: unknown } {
    const tag = params.header['if-match'] ?? '';
    this.tags.push(tag);
    if (tag !== `"${this.kept.version}"`) throw new ProblemError(412, 'precondition_failed', 'another version');
    const { providers, ...parts } = body as { providers?: Record<string, { api_key?: string }> };
    const named = Object.entries(providers ?? {}).map(([name, { api_key, ...rest }]) => [
      name,
      {
        ...(this.kept.providers[name] as object),
        ...rest,
        ...(api_key === undefined ? {} : { api_key_configured: true }),
      },
    ]);
    this.change({ ...parts, providers: { ...this.kept.providers, ...Object.fromEntries(named) } });
    return { data: this.kept };
  }
}

async function opened(): Promise<{ state: OrganizationState; service: Service }> {
  const service = new Service();
  const state = new OrganizationState('physics');
  await state.load();
  return { state, service };
}
const shown = ({ value }: OrganizationState): Organization => value as Organization;
const asked = (state: OrganizationState): Promise<string[]> =>
  vi.waitFor(() => {
    if (state.conflict === null) throw new Error('nobody is asked');
    return state.conflict.overlaps.map(({ path }) => path);
  });
const refusalOf = (work: Promise<void>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => (error instanceof ProblemError ? error.status : error),
  );

describe('settings that several people change', () => {
  beforeEach(() => vi.restoreAllMocks());

  it('are saved upon what others changed elsewhere, which stays', async () => {
    const { state, service } = await opened();
    service.change({ name: 'Physics 2' });
    await state.patch({ models: ['a'] });
    expect([service.tags, service.kept.name, service.kept.models]).toEqual([['"1"', '"2"'], 'Physics 2', ['a']]);
    // The form of the name goes on from what it began with, so that saving it is asked about.
    expect([shown(state).name, shown(state).models, shown(state).version]).toEqual(['Physics', ['a'], 3]);
  });

  it('are not overwritten unasked by a form that was open before', async () => {
    const { state, service } = await opened();
    service.change({ name: 'Theirs' });
    await state.patch({ models: ['a'] });
    const saving = state.patch({ name: 'Mine' });
    expect(await asked(state)).toEqual(['name']);
    expect(service.kept.name).toBe('Theirs');
    state.conflict?.choose('overwrite');
    await saving;
    expect([service.kept.name, state.conflict]).toEqual(['Mine', null]);
  });

  it('are theirs where that is chosen, and its form begins anew', async () => {
    const { state, service } = await opened();
    service.change({ models: ['theirs'] });
    const saving = refusalOf(state.patch({ models: ['mine'] }));
    await asked(state);
    state.conflict?.choose('take');
    expect(await saving).toBe(412);
    expect([service.kept.models, shown(state).models]).toEqual([['theirs'], ['theirs']]);
    expect([state.turn('models', 'default_model'), state.turn('features')]).toEqual([1, 0]);
  });

  it('are asked about again after one went on editing', async () => {
    const { state, service } = await opened();
    service.change({ models: ['theirs'] });
    const first = refusalOf(state.patch({ models: ['mine'] }));
    await asked(state);
    state.conflict?.choose('keep');
    expect([await first, shown(state).models, state.turn('models')]).toEqual([412, [], 0]);
    const second = refusalOf(state.patch({ models: ['mine'] }));
    expect(await asked(state)).toEqual(['models']);
    state.conflict?.choose('keep');
    await second;
    expect(service.kept.models).toEqual(['theirs']);
  });

  it('are asked about again when another version comes while one decides', async () => {
    const { state, service } = await opened();
    service.change({ models: ['theirs'] });
    const saving = state.patch({ models: ['mine'] });
    await asked(state);
    const first = state.conflict;
    service.change({ models: ['theirs too'] });
    first?.choose('overwrite');
    await vi.waitFor(() => expect(state.conflict).not.toBe(first));
    expect(await asked(state)).toEqual(['models']);
    expect(state.conflict?.theirs.models).toEqual(['theirs too']);
    state.conflict?.choose('overwrite');
    await saving;
    expect(service.kept.models).toEqual(['mine']);
  });

  it('are asked about one after another when two forms are saved at once', async () => {
    const { state, service } = await opened();
    service.change({ name: 'Theirs', models: ['theirs'] });
    const both = [state.patch({ name: 'Mine' }), state.patch({ models: ['mine'] })];
    for (const path of ['name', 'models']) {
      await vi.waitFor(async () => expect(await asked(state)).toEqual([path]));
      state.conflict?.choose('overwrite');
    }
    await Promise.all(both);
    expect([service.kept.name, service.kept.models, state.conflict]).toEqual(['Mine', ['mine'], null]);
  });

  it('are saved though a form before them was not', async () => {
    const { state, service } = await opened();
    service.change({ name: 'Theirs' });
    const first = refusalOf(state.patch({ name: 'Mine' }));
    const second = state.patch({ models: ['mine'] });
    await asked(state);
    state.conflict?.choose('keep');
    expect(await first).toBe(412);
    await second;
    expect([service.kept.name, service.kept.models]).toEqual(['Theirs', ['mine']]);
  });

  it('hold secrets that may be others by now', async () => {
    const { state, service } = await opened();
    const key = (api_key: string): Promise<void> => state.patch({ providers: { openai: { api_key } } });
    await key('mine');
    service.change({ providers: { openai: { enabled: true, api_key_configured: true } } });
    const saving = key('mine again');
    expect(await asked(state)).toEqual(['providers.openai.api_key']);
    state.conflict?.choose('overwrite');
    await saving;
    await key('nobody is asked now');
    expect(state.conflict).toBeNull();
  });

  it('do not bring back what somebody else removed, but as a whole and when asked for', async () => {
    const { state, service } = await opened();
    service.kept.providers = {
      openai: { enabled: true, base_url: 'https://one.example', models: ['a'], api_key_configured: true },
    };
    await state.load();
    service.change({ providers: {} });
    await state.patch({ providers: { openai: {} } });
    expect([service.tags, service.kept.providers]).toEqual([[], {}]);
    const saving = state.patch({ providers: { openai: { models: ['b'] } } });
    expect(await asked(state)).toEqual(['providers.openai']);
    state.conflict?.choose('overwrite');
    await saving;
    expect(service.kept.providers).toEqual({
      openai: { enabled: true, base_url: 'https://one.example', models: ['b'] },
    });
  });

  it('hold no secret at an address that nobody saw who entered it', async () => {
    const { state, service } = await opened();
    service.kept.providers = { openai: { enabled: true, base_url: 'https://one.example', api_key_configured: false } };
    await state.load();
    service.change({
      providers: { openai: { enabled: true, base_url: 'https://two.example', api_key_configured: false } },
    });
    const saving = state.patch({ providers: { openai: { api_key: 'for one' } } });
    expect(await asked(state)).toEqual(['providers.openai.base_url', 'providers.openai.api_key']);
    state.conflict?.choose('overwrite');
    await saving;
    expect(service.kept.providers).toMatchObject({
      openai: { base_url: 'https://one.example', api_key_configured: true },
    });
  });
});
