import { describe, expect, it } from 'vitest';
import type { Organization, SettingsPatch } from './organization.types';
import { completed, isEmpty, overlaps, shownAfter, unitsOf } from './overlap';

const provider = (changes: object = {}) => ({ enabled: true, base_url: null, api_key_configured: false, ...changes });
const of = (changes: object = {}): Organization =>
  ({
    version: 1,
    name: 'Physics',
    features: { sharing: true, functions: false },
    models: ['a'],
    default_model: null,
    providers: { openai: provider() },
    mcp: { servers: {} },
    limits: {},
    ...changes,
  }) as unknown as Organization;
const paths = (found: readonly { path: string }[]): string[] => found.map(({ path }) => path);

describe('what a change of settings would overwrite', () => {
  it('is nothing where somebody else changed something else', () => {
    const now = of({ version: 2, models: ['b'], features: { sharing: true, functions: true } });
    expect(overlaps(of(), now, { features: { sharing: false } }, false)).toEqual([]);
  });

  it('is nothing where somebody else wanted the same', () => {
    expect(overlaps(of(), of({ version: 2, models: ['b'] }), { models: ['b'] }, false)).toEqual([]);
  });

  it('is nothing where somebody else saved the same terms, which come back with their keys in another order', () => {
    const stored = of({ version: 2, limits: { terms: [{ to: '2026-12-31', from: '2026-09-01', name: 'Autumn' }] } });
    const wish = { limits: { terms: [{ name: 'Autumn', from: '2026-09-01', to: '2026-12-31' }] } };
    expect(overlaps(of(), stored, wish, false)).toEqual([]);
  });

  it('is what both changed', () => {
    const now = of({ version: 2, name: 'Physics 2', features: { sharing: false, functions: true } });
    const patch = { name: 'Physics 1', features: { sharing: true, functions: false } };
    expect(overlaps(of(), now, patch, false)).toEqual([
      { path: 'name', theirs: 'Physics 2', mine: 'Physics 1', secret: false },
      { path: 'features.sharing', theirs: false, mine: true, secret: false },
      { path: 'features.functions', theirs: true, mine: false, secret: false },
    ]);
  });

  it('is a provider as a whole where it is to go, and a model that is chosen with its provider', () => {
    const now = of({
      providers: { openai: provider({ enabled: false }) },
      default_model: { provider: 'x', model: 'y' },
    });
    expect(paths(overlaps(of(), now, { providers: { openai: null } }, false))).toEqual(['providers.openai']);
    const choice = { default_model: { provider: 'a', model: 'b' } };
    expect(paths(overlaps(of(), now, choice, false))).toEqual(['default_model']);
  });

  it('is a secret that came or went, and in doubt any', () => {
    const now = of({ providers: { openai: provider({ api_key_configured: true }) } });
    const patch = { providers: { openai: { api_key: 'new' } } };
    expect(overlaps(of(), now, patch, false)).toMatchObject([{ path: 'providers.openai.api_key', secret: true }]);
    expect(overlaps(now, now, patch, false)).toEqual([]);
    expect(overlaps(now, now, patch, true)).toMatchObject([{ theirs: true, secret: true }]);
  });

  it('is a secret that somebody else entered and that another address would take away', () => {
    const server = (token_configured: boolean, url = 'https://one.example') =>
      of({ mcp: { servers: { library: { url, enabled: false, token_configured } } } });
    const moved = { mcp: { servers: { library: { url: 'https://three.example' } } } };
    const lost = [{ path: 'mcp.servers.library.token', theirs: true, mine: null, secret: true }];
    expect(overlaps(server(false), server(true), moved, false)).toEqual(lost);
    // Who saw that there was one was told that it goes, but not that it may be another one.
    expect(overlaps(server(true), server(true), moved, false)).toEqual([]);
    expect(overlaps(server(true), server(true), moved, true)).toEqual(lost);
    expect(overlaps(server(true), server(false), moved, true)).toEqual([]);
    const same = { mcp: { servers: { library: { url: 'https://one.example' } } } };
    expect(overlaps(server(false), server(true), same, true)).toEqual([]);
    const given = { mcp: { servers: { library: { url: 'https://three.example', token: 'mine' } } } };
    expect(overlaps(server(false), server(true), given, false)).toMatchObject([
      { path: 'mcp.servers.library.token', mine: 'mine' },
    ]);
  });
});

describe('what goes along with a change', () => {
  const at = (url: string | null, changes: object = {}): Organization =>
    of({
      providers: { openai: provider({ base_url: url }) },
      mcp: { servers: { library: { url, enabled: false, token_configured: false } } },
      moodle: { api_url: url, token_configured: false },
      ...changes,
    });

  it('is the address that was shown when a secret was typed, so that another one is asked about', () => {
    const patch = {
      providers: { openai: { api_key: 'new' } },
      mcp: { servers: { library: { token: 'new' } } },
      moodle: { token: 'new' },
    };
    const whole = completed(at('https://one.example'), at('https://two.example'), patch);
    expect(whole).toEqual({
      providers: { openai: { base_url: 'https://one.example', api_key: 'new' } },
      mcp: { servers: { library: { url: 'https://one.example', token: 'new' } } },
      moodle: { api_url: 'https://one.example', token: 'new' },
    });
    expect(overlaps(at('https://one.example'), at('https://two.example'), whole, true)).toMatchObject([
      { path: 'providers.openai.base_url', theirs: 'https://two.example', mine: 'https://one.example' },
      { path: 'providers.openai.api_key', secret: true },
      { path: 'mcp.servers.library.url', theirs: 'https://two.example', mine: 'https://one.example' },
      { path: 'mcp.servers.library.token', secret: true },
      { path: 'moodle.api_url', theirs: 'https://two.example', mine: 'https://one.example' },
      { path: 'moodle.token', secret: true },
    ]);
    expect(completed(at(null), at('https://two.example'), { providers: { openai: { api_key: 'new' } } })).toEqual({
      providers: { openai: { base_url: null, api_key: 'new' } },
    });
  });

  it('is the address that was shown where something is switched on that has another by now', () => {
    const on = { mcp: { servers: { library: { enabled: true } } } };
    expect(completed(at('https://one.example'), at('https://two.example'), on)).toEqual({
      mcp: { servers: { library: { url: 'https://one.example', enabled: true } } },
    });
    expect(completed(at('https://one.example'), at('https://one.example'), on)).toEqual(on);
  });

  it('is the whole form of what somebody else removed, and that is asked about as a whole', () => {
    const shown = at('https://one.example', {
      providers: {
        openai: provider({ base_url: 'https://one.example', models: ['a'], fast_model: null, environment: false }),
      },
    });
    const gone = of({ version: 2, providers: {} });
    const patch = {
      providers: { openai: { api_key: 'new', models: ['b'] } },
      mcp: { servers: { library: { enabled: true } } },
    };
    const whole = completed(shown, gone, patch);
    expect(whole).toEqual({
      providers: { openai: { enabled: true, base_url: 'https://one.example', models: ['b'], api_key: 'new' } },
      mcp: { servers: { library: { url: 'https://one.example', enabled: true } } },
    });
    expect(overlaps(shown, gone, whole, true)).toEqual([
      {
        path: 'providers.openai',
        theirs: undefined,
        mine: { enabled: true, base_url: 'https://one.example', models: ['b'] },
        secret: false,
      },
      { path: 'providers.openai.api_key', theirs: false, mine: 'new', secret: true },
      {
        path: 'mcp.servers.library',
        theirs: undefined,
        mine: { url: 'https://one.example', enabled: true },
        secret: false,
      },
    ]);
    // To remove what is gone is nothing to ask about.
    const removal = { providers: { openai: null } };
    expect(completed(shown, gone, removal)).toEqual(removal);
    expect(overlaps(shown, gone, removal, true)).toEqual([]);
  });

  it('is known to be no change where no value is named', () => {
    expect([{ mcp: { servers: { library: {} } } }, { providers: { openai: {} } }, {}].map(isEmpty)).toEqual([
      true,
      true,
      true,
    ]);
    expect([{ providers: { openai: null } }, { models: [] }, { moodle: { api_url: null } }].map(isEmpty)).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('is nothing where no secret and nobody meets an address, and an address that is sent stays', () => {
    const patches: readonly SettingsPatch[] = [
      { mcp: { servers: { library: { enabled: false } } }, providers: { openai: { api_key: null, models: ['a'] } } },
      { moodle: { api_url: 'https://three.example', token: 'new' } },
      { providers: { openai: null, fresh: { enabled: true, api_key: 'new' } } },
      { name: 'x', default_model: { provider: 'a', model: 'b' }, limits: { assistant_calls: { per_day: 1 } } },
    ];
    for (const patch of patches)
      expect(completed(at('https://one.example'), at('https://two.example'), patch)).toEqual(patch);
  });
});

describe('what the forms show after a save', () => {
  it('is new where it was saved, and as it was elsewhere', () => {
    const now = of({ version: 3, name: 'Theirs', models: ['saved'], updated_at: 'now' });
    const shown = shownAfter(of(), now, ['models']);
    expect([shown.name, shown.models, shown.version]).toEqual(['Physics', ['saved'], 3]);
  });

  it('has the provider that was added, and not the one that was removed', () => {
    const now = of({ providers: { google: provider({ enabled: false }), ollama: provider() } });
    const shown = shownAfter(of(), now, unitsOf({ providers: { google: {}, openai: null } }));
    expect(shown.providers).toEqual({ google: provider({ enabled: false }) });
  });

  it('leaves the terms of another form as they were when a rule is saved, so that its next save meets what others did', () => {
    const now = of({ limits: { rules: [{ id: 'mine' }], terms: [{ name: 'Theirs' }] } });
    const before = of({ limits: { rules: [], terms: [] } });
    const shown = shownAfter(before, now, unitsOf({ limits: { rules: [] } }));
    expect(shown.limits).toEqual({ rules: [{ id: 'mine' }], terms: [] });
    expect(paths(overlaps(shown, now, { limits: { terms: [] } }, false))).toEqual(['limits.terms']);
  });

  it('knows the things that forms edit as a whole', () => {
    expect(
      unitsOf({ name: 'x', features: {}, providers: { openai: {} }, mcp: { servers: { library: null } } }),
    ).toEqual(['name', 'features', 'providers.openai', 'mcp.servers.library']);
  });
});
