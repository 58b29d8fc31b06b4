import { describe, expect, it } from 'vitest';
import { formOf, losesKey, namesIn, needsModel, providerPatch } from './provider-form';

const provider = {
  enabled: true,
  api_key_configured: true,
  base_url: 'https://llm.example.edu/v1',
  models: ['small', 'large'],
  default_model: 'small',
  fast_model: null,
  tool_use_model: null,
  environment: false,
};

describe('the form of a provider', () => {
  it('changes nothing when nothing was changed', () => {
    expect(providerPatch(provider, formOf(provider))).toEqual({});
  });

  it('names what changed and removes what was emptied', () => {
    const form = { ...formOf(provider), models: ' large\nnew,large \n', defaultModel: ' ', fastModel: 'new' };
    expect(providerPatch(provider, form)).toEqual({ models: ['large', 'new'], default_model: null, fast_model: 'new' });
  });

  it('sends a key only when one was typed, and takes it away only when asked', () => {
    expect(providerPatch(provider, { ...formOf(provider), apiKey: 'sk-1' })).toEqual({ api_key: 'sk-1' });
    expect(providerPatch(provider, { ...formOf(provider), clearKey: true })).toEqual({ api_key: null });
    expect(providerPatch(provider, { ...formOf(provider), clearKey: true, apiKey: 'sk-2' })).toEqual({
      api_key: 'sk-2',
    });
  });

  it('tells that another address loses the stored key', () => {
    const elsewhere = { ...formOf(provider), baseUrl: 'https://other.example' };
    expect([losesKey(provider, formOf(provider)), losesKey(provider, elsewhere)]).toEqual([false, true]);
    expect(losesKey(provider, { ...elsewhere, apiKey: 'sk-new' })).toBe(false);
    expect(losesKey({ ...provider, api_key_configured: false }, elsewhere)).toBe(false);
  });

  it('reads names from lines and commas', () => {
    expect(namesIn('a, b\n\n a \nc')).toEqual(['a', 'b', 'c']);
    expect(namesIn(' ')).toEqual([]);
  });
});

describe('a default model', () => {
  const openai = { base_url: 'https://api.openai.com/v1' };

  it('has to be chosen for any server but the vendor’s own', () => {
    expect(needsModel(openai, '')).toBe(false);
    expect(needsModel(openai, 'https://api.openai.com/v1/')).toBe(false);
    expect(needsModel(openai, 'http://127.0.0.1:8000/v1')).toBe(true);
    expect(needsModel({ base_url: null }, '')).toBe(true);
    expect(needsModel(undefined, 'https://llm.example.edu')).toBe(true);
  });
});
