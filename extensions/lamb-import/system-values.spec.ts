import type { JsonObject } from '@bellwether/kernel';
import { ownServers, withSystemValues } from './plan/plan-organization';

const SYSTEM = {
  providers: {
    openai: { enabled: true, api_key: 'system', models: ['gpt-4o'] },
    ollama: { enabled: true },
    google: { enabled: false, api_key: 'off' },
  },
  default_model: { provider: 'openai', model: 'gpt-4o' },
  knowledge_base: { server_url: 'http://kb', api_token: 'kb' },
};
const NOTHING = { providers: null, default_model: null, knowledge_base: null };

describe('an organization without servers of its own', () => {
  it.each<[string, JsonObject, object]>([
    ['nothing', NOTHING, { hasProvider: false, keyless: [], hasKnowledgeBase: false }],
    [
      'a provider without a key',
      { ...NOTHING, providers: { openai: { models: ['m'] } } },
      { hasProvider: false, keyless: ['openai'], hasKnowledgeBase: false },
    ],
    [
      'a provider that is off',
      { ...NOTHING, providers: { openai: { enabled: false, api_key: 'k' } } },
      { hasProvider: false, keyless: [], hasKnowledgeBase: false },
    ],
    ['everything', SYSTEM, { hasProvider: true, keyless: ['ollama'], hasKnowledgeBase: true }],
  ])('is recognized by %s', (_, settings, expected) => expect(ownServers(settings)).toEqual(expected));

  it('gets those of the system organization that are switched on', () => {
    expect(withSystemValues(NOTHING, SYSTEM)).toEqual({
      settings: { ...SYSTEM, providers: { openai: SYSTEM.providers.openai } },
      inherited: ['providers.openai', 'knowledge_base'],
    });
  });

  it('keeps its own models, and gets the key that they lack', () => {
    const own = { ...NOTHING, providers: { openai: { models: ['mine'], default_model: 'mine' } } };
    expect(withSystemValues(own, SYSTEM).settings['providers']).toEqual({
      openai: { enabled: true, api_key: 'system', models: ['mine'], default_model: 'mine' },
    });
  });

  it.each<[string, JsonObject]>([
    ['has its own', { ...SYSTEM, providers: { anthropic: { api_key: 'mine' } } }],
    ['switched the provider off', { ...SYSTEM, providers: { openai: { enabled: false } } }],
  ])('gets nothing where it %s', (_, own) =>
    expect(withSystemValues(own, SYSTEM)).toEqual({ settings: own, inherited: [] }),
  );

  it('gets nothing from a system organization that has nothing', () => {
    expect(withSystemValues(NOTHING, NOTHING)).toEqual({ settings: NOTHING, inherited: [] });
  });
});
