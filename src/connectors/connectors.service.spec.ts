import { AppError, type Caller } from '@bellwether/kernel';
import type { Metering } from '../metering';
import type { OrganizationRuntime, OrganizationsService, VendorPseudonyms, ProviderRuntime } from '../organizations';
import type { Vendor } from '../infrastructure/config';
import { BYPASS as BYPASS_PLUGIN } from './catalog/bypass';
import { ConnectorsService } from './connectors.service';
import type { Connector } from './contract';

const fake = (definition: Partial<Connector['definition']>): Connector =>
  ({
    definition: {
      aliases: [],
      display_name: 'Fake',
      description: 'A fake.',
      capabilities: { streaming: true, vision: false, functions: true, image_generation: false },
      vendor: null,
      models: [],
      defaultModel: null,
      ...definition,
    },
  }) as unknown as Connector;

const vendor = (name: string, needsKey: boolean, baseUrl: string | null = null): Vendor => ({
  name,
  needsKey,
  baseUrl,
  environment: {},
});

const OWN = 'https://vendor.test/v1';
const OPENAI = fake({
  name: 'openai',
  aliases: ['openai_tools'],
  vendor: vendor('openai', true, OWN),
  defaultModel: 'mini',
});
const OLLAMA = fake({ name: 'ollama', vendor: vendor('ollama', false) });
const BYPASS = BYPASS_PLUGIN.connect({} as never);

const provider = (name: string, overrides: Partial<ProviderRuntime> = {}): ProviderRuntime => ({
  name,
  apiKey: 'sk-1',
  baseUrl: `https://${name}.example/v1`,
  models: [],
  defaultModel: null,
  fastModel: null,
  toolUseModel: null,
  trusted: false,
  ...overrides,
});

const serviceFor = (
  runtime: Partial<Omit<OrganizationRuntime, 'providers'>> & { providers?: ProviderRuntime[] } = {},
) => {
  const providers = new Map((runtime.providers ?? []).map((each) => [each.name, each]));
  const privacy = { vendor_user_ids: 'as_sent' };
  const organization = { id: 'o', models: [], defaultModel: null, privacy, ...runtime, providers };
  const organizations = { runtime: () => Promise.resolve(organization) } as unknown as OrganizationsService;
  return new ConnectorsService([OPENAI, OLLAMA, BYPASS], organizations, {} as Metering, {} as VendorPseudonyms, {
    used: () => undefined,
  });
};

describe('the model that answers', () => {
  it('is the one that is asked for, at the organization’s address with its key', async () => {
    const service = serviceFor({ providers: [provider('openai', { models: ['a', 'b'] })] });
    await expect(service.resolve('o', { connector: 'openai', llm: 'b' })).resolves.toEqual({
      connector: expect.objectContaining({ definition: OPENAI.definition }) as object,
      target: { baseUrl: 'https://openai.example/v1', apiKey: 'sk-1', trusted: false, continuesTraces: true },
      model: 'b',
      provider: 'openai',
      warnings: [],
    });
  });

  it('is any when the organization lists none', async () => {
    const service = serviceFor({ providers: [provider('openai')] });
    await expect(service.resolve('o', { connector: 'openai', llm: 'new' })).resolves.toMatchObject({
      model: 'new',
      warnings: [],
    });
  });

  it('is the same by an old name of its connector', async () => {
    const service = serviceFor({ providers: [provider('openai')] });
    await expect(service.resolve('o', { connector: 'openai_tools', llm: 'x' })).resolves.toMatchObject({
      connector: OPENAI,
    });
  });

  it.each([
    ['the provider’s default', { models: ['a', 'b'], defaultModel: 'b' }, {}, 'b'],
    ['the organization’s default', { models: ['a', 'b'] }, { defaultModel: { provider: 'openai', model: 'b' } }, 'b'],
    [
      'not the default of another provider',
      { models: ['a', 'b'] },
      { defaultModel: { provider: 'ollama', model: 'b' } },
      'a',
    ],
    ['the first that is listed', { models: ['a', 'b'] }, {}, 'a'],
    ['one that both lists hold', { models: ['a', 'b'], defaultModel: 'a' }, { models: ['b'] }, 'b'],
    ['the organization’s first', {}, { models: ['b', 'c'] }, 'b'],
  ])('falls back with a warning to %s', async (_, own, organization, expected) => {
    const service = serviceFor({ ...organization, providers: [provider('openai', own)] });
    const resolved = await service.resolve('o', { connector: 'openai', llm: 'gone' });
    expect(resolved.model).toBe(expected);
    expect(resolved.warnings).toEqual([
      {
        code: 'connector.model_unavailable',
        message: `The model gone is not enabled for openai; ${expected} answers instead`,
      },
    ]);
  });

  it('is the default, without a warning, when none is named', async () => {
    const service = serviceFor({ providers: [provider('openai', { baseUrl: OWN })] });
    await expect(service.resolve('o', { connector: 'openai', llm: null })).resolves.toMatchObject({
      model: 'mini',
      warnings: [],
    });
  });

  it('is never the vendor’s own default at a server of another host', async () => {
    const foreign = { providers: [provider('openai', { baseUrl: 'https://vllm.campus.example/v1' })] };
    const service = serviceFor(foreign);
    await expect(service.resolve('o', { connector: 'openai', llm: null })).rejects.toMatchObject({
      code: 'connector_not_configured',
    });
    await expect(service.resolve('o', { connector: 'openai', llm: 'x' })).resolves.toMatchObject({ model: 'x' });
    await expect(service.resolve('o', { connector: 'auto', llm: null })).resolves.toMatchObject({
      connector: { definition: { name: 'bypass' } },
    });
    await expect(service.hasVendor('o')).resolves.toBe(false);
    await expect(service.doubts('o', { connector: 'openai', llm: null })).resolves.toMatchObject([
      { code: 'connector.not_configured', member: 'connector' },
    ]);
    const [listed] = await service.list({ organizationId: 'o' } as Caller);
    expect(listed).toMatchObject({ name: 'openai', configured: true, default_model: null });
    for (const own of [{ baseUrl: `${OWN}/` }, { baseUrl: 'https://x.example', trusted: true }]) {
      const service = serviceFor({ providers: [provider('openai', own)] });
      await expect(service.resolve('o', { connector: 'openai', llm: null })).resolves.toMatchObject({ model: 'mini' });
      await expect(service.hasVendor('o')).resolves.toBe(true);
    }
  });

  it.each([
    ['there is no such connector', {}, 'telepathy'],
    ['the provider is not configured', {}, 'openai'],
    ['the key is missing', { providers: [provider('openai', { apiKey: null })] }, 'openai'],
    ['no model is known', { providers: [provider('ollama', { apiKey: null })] }, 'ollama'],
    ['no model is left', { models: ['x'], providers: [provider('openai', { models: ['y'] })] }, 'openai'],
  ])('is refused when %s', async (_, runtime, connector) => {
    const attempt = serviceFor(runtime).resolve('o', { connector, llm: null });
    await expect(attempt).rejects.toMatchObject({ code: 'connector_not_configured' });
  });

  it('the model for functions, where the assistant calls functions and names none', async () => {
    const service = serviceFor({
      providers: [provider('openai', { defaultModel: 'small', toolUseModel: 'caller' }), provider('ollama')],
    });
    const model = async (wish: { connector: string; llm: string | null; callsFunctions?: boolean }) => {
      const resolved = await service.resolve('o', wish);
      return [resolved.model, resolved.warnings.length];
    };
    expect(await model({ connector: 'openai', llm: null, callsFunctions: true })).toEqual(['caller', 0]);
    expect(await model({ connector: 'openai', llm: '', callsFunctions: true })).toEqual(['caller', 0]);
    expect(await model({ connector: 'auto', llm: null, callsFunctions: true })).toEqual(['caller', 0]);
    expect(await model({ connector: 'openai', llm: 'own', callsFunctions: true })).toEqual(['own', 0]);
    expect(await model({ connector: 'openai', llm: null })).toEqual(['small', 0]);
  });

  it('warns where the model for functions is not among the organization’s models', async () => {
    const openai = provider('openai', { defaultModel: 'small', toolUseModel: 'caller' });
    const service = serviceFor({ models: ['small'], providers: [openai] });
    await expect(service.resolve('o', { connector: 'openai', llm: null, callsFunctions: true })).resolves.toMatchObject(
      { model: 'small', warnings: [{ code: 'connector.model_unavailable' }] },
    );
  });

  it('doubts a connector that the organization has not configured', async () => {
    const service = serviceFor({ providers: [provider('openai', { baseUrl: OWN })] });
    const doubts = async (connector: string) =>
      (await service.doubts('o', { connector, llm: null })).map(({ code, member }) => [code, member]);
    expect(await doubts('ollama')).toEqual([['connector.not_configured', 'connector']]);
    for (const fine of ['openai', 'openai_tools', 'bypass', 'auto']) expect(await doubts(fine)).toEqual([]);
  });

  it('the operator’s own server needs no key', async () => {
    const service = serviceFor({ providers: [provider('openai', { apiKey: null, trusted: true })] });
    await expect(service.resolve('o', { connector: 'openai', llm: 'x' })).resolves.toMatchObject({
      target: { trusted: true },
    });
  });

  it('passes on that a secret cannot be opened', async () => {
    const locked = provider('openai');
    Object.defineProperty(locked, 'apiKey', {
      get: () => {
        throw new AppError('secret_unavailable', 'locked');
      },
    });
    const attempt = serviceFor({ providers: [locked] }).resolve('o', { connector: 'openai', llm: 'x' });
    await expect(attempt).rejects.toMatchObject({ code: 'secret_unavailable' });
  });

  it('bypass has models of its own, whatever the organization enables', async () => {
    const service = serviceFor({ models: ['gpt'] });
    await expect(service.resolve('o', { connector: 'bypass', llm: 'simple-bypass' })).resolves.toMatchObject({
      model: 'simple-bypass',
      warnings: [],
    });
    await expect(service.resolve('o', { connector: 'bypass', llm: 'gpt' })).resolves.toMatchObject({
      model: 'debug-bypass',
      warnings: [{}],
    });
  });
});

describe('auto', () => {
  const resolve = async (runtime: Parameters<typeof serviceFor>[0], llm: string | null = null) => {
    const { connector, model, warnings } = await serviceFor(runtime).resolve('o', { connector: 'auto', llm });
    return [connector.definition.name, model, warnings.length];
  };
  const both = [provider('openai', { baseUrl: OWN }), provider('ollama', { models: ['llama'] })];

  it('takes the organization’s default provider and model', () =>
    expect(resolve({ providers: both, defaultModel: { provider: 'ollama', model: 'llama' } })).resolves.toEqual([
      'ollama',
      'llama',
      0,
    ]));
  it('takes the first that is configured otherwise', () =>
    expect(resolve({ providers: both })).resolves.toEqual(['openai', 'mini', 0]));
  it('takes the first too when the default’s provider is not configured', () =>
    expect(resolve({ providers: both.slice(1), defaultModel: { provider: 'openai', model: 'x' } })).resolves.toEqual([
      'ollama',
      'llama',
      0,
    ]));
  it('passes over a provider of which no model is known', () =>
    expect(resolve({ providers: [provider('ollama')] })).resolves.toEqual(['bypass', 'debug-bypass', 0]));
  it('passes over a provider without its key', () =>
    expect(resolve({ providers: [provider('openai', { apiKey: null })] })).resolves.toEqual([
      'bypass',
      'debug-bypass',
      0,
    ]));
  it('chooses `bypass` without any provider', () =>
    expect(resolve({})).resolves.toEqual(['bypass', 'debug-bypass', 0]));
  it('does not look at the assistant’s model, which was another vendor’s', () =>
    expect(resolve({ providers: both }, 'claude')).resolves.toEqual(['openai', 'mini', 0]));
});

describe('the catalogue', () => {
  const caller = { organizationId: 'o' } as Caller;

  it('lists what the organization enabled, and never a key or an address', async () => {
    const service = serviceFor({
      models: ['a'],
      providers: [provider('openai', { models: ['a', 'b'], defaultModel: 'b' })],
    });
    const listing = await service.list(caller);
    expect(
      listing.map(({ name, configured, models, default_model }) => [name, configured, models, default_model]),
    ).toEqual([
      ['openai', true, ['a'], 'a'],
      ['ollama', false, [], null],
      ['bypass', true, ['debug-bypass', 'simple-bypass', 'full-conversation-bypass'], 'debug-bypass'],
    ]);
    expect(JSON.stringify(listing)).not.toMatch(/sk-1|example/);
  });

  it('lists a provider whose secret cannot be opened as one that is not configured', async () => {
    const locked = provider('openai');
    Object.defineProperty(locked, 'apiKey', {
      get: () => {
        throw new AppError('secret_unavailable', 'locked');
      },
    });
    const [openai] = await serviceFor({ providers: [locked] }).list(caller);
    expect(openai).toMatchObject({ configured: false, models: [], default_model: null });
  });

  it('knows capabilities by every name', () => {
    const service = serviceFor();
    expect(service.capabilities('openai_tools')).toBe(OPENAI.definition.capabilities);
    expect(service.capabilities('auto')).toMatchObject({ vision: true });
    expect(service.capabilities('__proto__')).toBeNull();
  });
});
