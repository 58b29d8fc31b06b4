import { AppError } from '@bellwether/kernel';
import type { VendorConfig } from '../infrastructure/config';
import type { OrganizationEntity } from './organization.entity';
import { buildRuntime } from './runtime.builder';
import type { OrganizationSettings } from './settings/settings.types';

const vendors = (operators: Readonly<Record<string, VendorConfig['operator']>>): ReadonlyMap<string, VendorConfig> =>
  new Map([
    ['openai', { baseUrl: 'https://api.openai.com/v1', operator: operators['openai'] ?? null }],
    ['ollama', { baseUrl: null, operator: operators['ollama'] ?? null }],
    ['anthropic', { baseUrl: 'https://api.anthropic.com', operator: null }],
    ['google', { baseUrl: 'https://google.example', operator: operators['google'] ?? null }],
  ]);
const config = {
  vendors: vendors({
    openai: { apiKey: 'sk-operator', baseUrl: 'http://proxy.internal/v1' },
    ollama: { apiKey: null, baseUrl: 'http://127.0.0.1:11434' },
    google: { apiKey: 'g-operator', baseUrl: 'https://google.example' },
  }),
  moodle: { apiUrl: 'http://moodle.internal', token: 'm-operator' },
};
const bare = { vendors: vendors({}), moodle: { apiUrl: null, token: null } };
const organization = (isSystem: boolean, settings: OrganizationSettings = {}): OrganizationEntity => ({
  id: 'o',
  slug: 'o',
  name: 'O',
  isSystem,
  suspended: false,
  eraseAfter: null,
  ending: null,
  version: 1,
  settings,
  createdAt: new Date(0),
  updatedAt: new Date(0),
});

describe('buildRuntime', () => {
  it("serves the environment's providers to the system organization, trusted", () => {
    const { providers, moodle } = buildRuntime(organization(true), config, new Map());
    expect([...providers.keys()]).toEqual(['openai', 'ollama', 'google']);
    expect(providers.get('openai')).toMatchObject({
      apiKey: 'sk-operator',
      baseUrl: 'http://proxy.internal/v1',
      trusted: true,
    });
    expect(moodle).toMatchObject({ apiUrl: 'http://moodle.internal', token: 'm-operator', trusted: true });
  });

  it('serves them to nobody else', () => {
    const runtime = buildRuntime(organization(false), config, new Map());
    expect(runtime.providers.size).toBe(0);
    expect(runtime.moodle).toBeNull();
    const own = { providers: { openai: { models: ['gpt-4o'] } }, moodle: { api_url: 'https://m.example' } };
    const configured = buildRuntime(organization(false, own), config, new Map());
    expect(configured.providers.get('openai')).toMatchObject({
      apiKey: null,
      baseUrl: 'https://api.openai.com/v1',
      trusted: false,
    });
    expect(configured.moodle).toMatchObject({ token: null, trusted: false });
  });

  it("never sends the operator's key to a URL that an organization chose", () => {
    const own = {
      providers: { openai: { base_url: 'https://mine.example' } },
      moodle: { api_url: 'https://m.example' },
    };
    const { providers, moodle } = buildRuntime(organization(true, own), config, new Map());
    expect(providers.get('openai')).toMatchObject({ apiKey: null, baseUrl: 'https://mine.example', trusted: false });
    expect(moodle).toMatchObject({ apiUrl: 'https://m.example', token: null, trusted: false });
  });

  it("lets an organization's own key win over the environment's", () => {
    const own = { providers: { openai: { api_key: 'v1:…' } } };
    const secrets = new Map([['providers.openai.api_key', 'sk-own']]);
    expect(buildRuntime(organization(true, own), config, secrets).providers.get('openai')).toMatchObject({
      apiKey: 'sk-own',
      baseUrl: 'http://proxy.internal/v1',
    });
  });

  it('fails only where a secret that cannot be opened is used', () => {
    const own = { providers: { openai: { api_key: 'v1:…' } } };
    const secrets = new Map([['providers.openai.api_key', new AppError('secret_unavailable', 'gone')]]);
    const runtime = buildRuntime(organization(true, own), config, secrets);
    expect(runtime.providers.get('ollama')?.apiKey).toBeNull();
    expect(() => runtime.providers.get('openai')?.apiKey).toThrow('gone');
  });

  it('leaves out providers that are switched off or have no address', () => {
    const own = { providers: { openai: { enabled: false }, campus: { models: ['m'] } } };
    expect([...buildRuntime(organization(true, own), config, new Map()).providers.keys()]).toEqual([
      'ollama',
      'google',
    ]);
  });

  it('has no provider on a machine where nothing is configured', () => {
    expect(buildRuntime(organization(true), bare, new Map()).providers.size).toBe(0);
  });

  it('keeps data and passes on what clients send until the organization decides otherwise', () => {
    const retention = {
      runs_days: null,
      run_contents_days: null,
      uploads_days: null,
      conversations_days: null,
      audit_days: null,
    };
    expect(buildRuntime(organization(false), bare, new Map()).privacy).toEqual({
      vendor_user_ids: 'as_sent',
      usage_people: 'named',
      retention,
    });
    const own: OrganizationSettings = { privacy: { vendor_user_ids: 'none', retention: { audit_days: 365 } } };
    expect(buildRuntime(organization(false, own), bare, new Map()).privacy).toEqual({
      vendor_user_ids: 'none',
      usage_people: 'named',
      retention: { ...retention, audit_days: 365 },
    });
  });

  it('turns every feature on but those that were turned off', () => {
    const { features } = buildRuntime(organization(false, { features: { sharing: false } }), bare, new Map());
    expect(features).toEqual({
      multi_tool: true,
      functions: true,
      planned: true,
      sharing: false,
      publishing: true,
      assistants_export: false,
      assistants_import: false,
      members_can_use_all: false,
      local_sign_in: true,
      tests_before_publishing: false,
      owners_override_tests: false,
    });
  });
});
