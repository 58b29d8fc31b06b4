import { type ConnectorEntry, readPlugin } from '@bellwether/plugin';
import type { LoadedPlugin } from '../infrastructure/plugins';
import { connectorsWith, VENDORS, vendorsWith } from './vendors';

const connector = (name: string, vendor: string | null): ConnectorEntry => ({
  definition: {
    name,
    aliases: [],
    display_name: name,
    description: 'Answers.',
    texts: { es: { description: '.' }, ca: { description: '.' }, eu: { description: '.' } },
    icon: 'bird',
    capabilities: { streaming: true, vision: false, functions: false, image_generation: false },
    vendor:
      vendor === null ? null : { name: vendor, needsKey: false, baseUrl: null, environment: { baseUrl: 'X_URL' } },
    models: [],
    defaultModel: null,
  },
  ...(vendor === null
    ? { answer: () => 'ok' }
    : { codec: { framing: 'sse', encode: () => ({ path: '/', body: {} }), decoder: () => ({}) as never } }),
});

const loaded = (...connectors: ConnectorEntry[]): LoadedPlugin[] => {
  const { plugin, problems } = readPlugin({ connectors });
  expect(problems).toEqual([]);
  return [{ ...plugin, source: 'here', name: 'here', version: null }];
};
const names = (plugins?: LoadedPlugin[]): string[] => connectorsWith(plugins).map(({ definition }) => definition.name);

describe('connectors of plugins', () => {
  it('stand behind our vendors, and before the connectors that need none', () => {
    const order = names(loaded(connector('silent', null), connector('crow', 'crow')));
    expect(order.filter((name) => ['google', 'crow', 'quotes', 'bypass', 'silent'].includes(name))).toEqual([
      'google',
      'crow',
      'quotes',
      'bypass',
      'silent',
    ]);
  });

  it('take the place of ours by its name', () => {
    expect(names(loaded(connector('ollama', 'ollama')))).toEqual(names());
  });

  it('declare variables that the configuration is read with, once for each vendor', () => {
    const vendors = vendorsWith(loaded(connector('crow', 'crow'), connector('ollama', 'ollama')));
    expect(vendors.map(({ name }) => name).sort()).toEqual([...VENDORS.map(({ name }) => name), 'crow'].sort());
    expect(vendors.find(({ name }) => name === 'ollama')?.environment).toEqual({ baseUrl: 'X_URL' });
    expect(vendorsWith([])).toEqual(VENDORS);
  });
});
