import { applyPatch, mergePatch, urlsOf } from './settings-validation';
import { fieldOf, type OrganizationSettings } from './settings.types';

const stored: OrganizationSettings = {
  providers: {
    openai: { api_key: 'SEALED', base_url: 'https://one.example/v1', models: ['a', 'b'] },
    ollama: { base_url: 'http://campus.example:11434' },
  },
  knowledge_base: { server_url: 'https://kb.example', api_token: 'SEALED-KB' },
  features: { sharing: false },
};

describe('mergePatch (RFC 7396)', () => {
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j patched with %j is %j', (target, patch, result) => expect(mergePatch(target, patch)).toEqual(result));

  it('keeps a member called __proto__ as data', () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__": {"admin": true}}')) as object;
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
    expect(Object.keys(merged)).toEqual(['__proto__']);
  });
});

describe('applyPatch', () => {
  it('leaves parts that the patch does not name as they are', () => {
    const { settings, cleared, fresh } = applyPatch(stored, { features: { publishing: false } });
    expect(settings).toEqual({ ...stored, features: { sharing: false, publishing: false } });
    expect([cleared, fresh]).toEqual([[], []]);
  });

  it.each([
    [{ providers: { openai: { base_url: 'https://evil.example/v1' } } }, 'providers.openai.api_key'],
    [{ providers: { openai: { base_url: null } } }, 'providers.openai.api_key'],
    [{ knowledge_base: { server_url: 'https://evil.example' } }, 'knowledge_base.api_token'],
    [{ knowledge_base: { api_token: null } }, 'knowledge_base.api_token'],
    [{ providers: { openai: null } }, 'providers.openai.api_key'],
    [{ providers: null }, 'providers.openai.api_key'],
  ])('%j clears the stored secret', (patch, field) => {
    const { settings, cleared } = applyPatch(stored, patch);
    expect(cleared.map(fieldOf)).toEqual([field]);
    expect(JSON.stringify(settings)).not.toContain(field.startsWith('providers') ? '"SEALED"' : 'SEALED-KB');
  });

  it('keeps the secret when the URL stays the same but for a closing slash', () => {
    const { settings, cleared } = applyPatch(stored, { knowledge_base: { server_url: 'https://kb.example/' } });
    expect(cleared).toEqual([]);
    expect(settings.knowledge_base?.api_token).toBe('SEALED-KB');
  });

  it('takes a new URL together with its new secret, and hands the plain text out only to be sealed', () => {
    const patch = { providers: { openai: { base_url: 'https://two.example', api_key: 'sk-new' } } };
    const { settings, fresh, cleared } = applyPatch(stored, patch);
    expect(fresh.map(({ slot, plain }) => [fieldOf(slot), plain])).toEqual([['providers.openai.api_key', 'sk-new']]);
    expect(cleared).toEqual([]);
    expect(JSON.stringify(settings)).not.toMatch(/sk-new|"SEALED"/);
    expect(settings.providers?.['openai']?.models).toEqual(['a', 'b']);
  });

  it('takes the first secret of a provider nobody configured before', () => {
    const { settings, fresh } = applyPatch({}, { providers: { anthropic: { api_key: 'k' } } });
    expect(settings).toEqual({ providers: { anthropic: {} } });
    expect(fresh).toHaveLength(1);
  });

  it('does not find secrets in names that only objects have', () => {
    expect(applyPatch({}, { providers: { constructor: { base_url: 'https://a.example' } } }).cleared).toEqual([]);
  });
});

describe('urlsOf', () => {
  it('names every URL of a patch', () => {
    const patch = {
      providers: { openai: { base_url: 'https://a.example' }, ollama: null, x: { models: [] } },
      knowledge_base: { server_url: 'https://b.example' },
      moodle: { api_url: 'https://c.example' },
    };
    expect(urlsOf(patch)).toEqual([
      { path: 'providers.openai.base_url', url: 'https://a.example' },
      { path: 'knowledge_base.server_url', url: 'https://b.example' },
      { path: 'moodle.api_url', url: 'https://c.example' },
    ]);
  });
});
