import type { JsonObject } from '@bellwether/kernel';
import { readSettings } from './organization-settings';

const read = (config: JsonObject) => readSettings({ config });
const setup = (parts: JsonObject): JsonObject => ({ setups: { default: parts } });

describe('readSettings', () => {
  it('takes providers with their secrets, models and defaults', () => {
    const { settings, notes } = read({
      ...setup({
        providers: {
          openai: {
            enabled: true,
            api_key: ' sk-1 ',
            base_url: '',
            models: ['gpt-4o', 'gpt-4o', ''],
            default_model: 'gpt-4o',
          },
          ollama: { enabled: false, base_url: 'http://ollama:11434', models: [] },
          google: { api_key: 'g-1', project_id: 'p', location: '', models: ['gemini'] },
        },
        global_default_model: { provider: 'openai', model: 'gpt-4o' },
        small_fast_model: { provider: 'openai', model: 'gpt-4o-mini' },
        knowledge_base: { server_url: 'http://old:9090', api_token: 'old' },
      }),
      kb_server: { url: 'http://kb:9090', api_key: '' },
    });
    expect(settings).toEqual({
      providers: {
        openai: {
          enabled: true,
          api_key: 'sk-1',
          models: ['gpt-4o'],
          default_model: 'gpt-4o',
          fast_model: 'gpt-4o-mini',
        },
        ollama: { enabled: false, base_url: 'http://ollama:11434' },
        google: { api_key: 'g-1', models: ['gemini'] },
      },
      default_model: { provider: 'openai', model: 'gpt-4o' },
      knowledge_base: { server_url: 'http://old:9090', api_token: 'old' },
      features: { members_can_use_all: true },
    });
    expect(notes.map(({ code }) => code)).toEqual([
      'models.cut',
      'provider.setting_left_out',
      'knowledge_base.differs',
    ]);
  });

  it('says what it leaves out, and never a secret', () => {
    const { settings, notes } = read({
      ...setup({
        providers: { 'No Name!': {}, openai: { api_key: 'CANARY with blanks', base_url: 'ftp://CANARY' } },
        small_fast_model: { provider: 'mistral', model: 'small' },
      }),
      features: { sharing_enabled: false, lti_publishing: true },
      // LAMB's baseline, which nobody decided and LAMB does not enforce.
      limits: { usage: { tokens_per_month: 5, max_assistants: -1 } },
    });
    expect(settings).toMatchObject({
      providers: { openai: {} },
      features: { members_can_use_all: true, sharing: false },
    });
    expect(notes.map(({ code }) => code).sort()).toEqual([
      'address.left_out',
      'fast_model.left_out',
      'provider.left_out',
      'secret.left_out',
    ]);
    expect(JSON.stringify(notes)).not.toContain('CANARY');
  });

  it('says of what nobody here would read that it was left out, where it said something', () => {
    const silent = { features: { rag_enabled: true }, models: { available: [], limits: {} }, assistant_defaults: {} };
    expect(read(silent).notes).toEqual([]);
    const { notes } = read({
      features: { rag_enabled: false, mcp_enabled: false },
      models: { available: ['gpt-4o'] },
      assistant_defaults: { llm: 'gpt-4o-mini' },
    });
    expect(notes.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'feature.left_out features.rag_enabled',
      'feature.left_out features.mcp_enabled',
      'models.left_out models.available',
    ]);
  });

  it.each<[string, JsonObject, JsonObject, JsonObject | null, readonly string[]]>([
    [
      'the older server where both are set',
      { server_url: 'http://old', api_token: 'a' },
      { url: 'http://new', api_key: 'b' },
      { server_url: 'http://old', api_token: 'a' },
      ['knowledge_base.differs'],
    ],
    [
      'the older address with the token that is only in the newer object',
      { server_url: 'http://old', api_token: '' },
      { url: 'http://old/', api_key: 'b' },
      { server_url: 'http://old', api_token: 'b' },
      [],
    ],
    [
      'older names before newer ones, wherever they stand',
      { url: 'http://new' },
      { server_url: 'http://old' },
      { server_url: 'http://old' },
      ['knowledge_base.differs'],
    ],
    ['the newer server alone', {}, { url: 'http://new', token: 'c' }, { server_url: 'http://new', api_token: 'c' }, []],
    ['both where they agree', { server_url: 'http://kb' }, { url: 'http://kb' }, { server_url: 'http://kb' }, []],
    ['none', {}, {}, null, []],
  ])('takes of two knowledge-base servers %s', (_, older, newer, taken, codes) => {
    const { settings, notes } = read({ ...setup({ knowledge_base: older }), kb_server: newer });
    expect([settings['knowledge_base'], notes.map(({ code }) => code)]).toEqual([taken, codes]);
  });

  it.each([
    [{}],
    [{ setups: 7 }],
    [{ setups: { default: { providers: ['x'], knowledge_base: null } }, features: 'all' }],
  ])('reads %j as nothing but the right to use everything', (config) => {
    const features = { members_can_use_all: true };
    expect(read(config).settings).toEqual({ providers: null, default_model: null, knowledge_base: null, features });
  });
});
