import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentVariables } from '../../infrastructure/config';
import { VENDORS } from '../vendors';
import { embeddingsOf } from '../vendor-embeddings';
import { CONNECTOR_PLUGINS } from '.';

describe('connectors', () => {
  const definitions = CONNECTOR_PLUGINS.map(({ definition }) => definition);

  it('have names and aliases of their own', () => {
    const names = definitions.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('declare each vendor once, with a connector of the same name', () => {
    const names = VENDORS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(definitions.map((definition) => definition.name)).toContain(name);
  });

  it('connect as what they declare', () => {
    for (const { definition, connect } of CONNECTOR_PLUGINS) {
      expect(connect({ outbound: {} as never, limits: {} as never }).definition).toBe(definition);
    }
    for (const plugin of CONNECTOR_PLUGINS) {
      const { embeddings, name, vendor } = plugin.definition;
      const declared = embeddings === undefined ? undefined : { ...embeddings, name, vendor };
      expect(embeddingsOf(plugin, {} as never)?.definition).toEqual(declared);
    }
  });
});

describe('.env.example', () => {
  const text = readFileSync(join(__dirname, '../../../.env.example'), 'utf8');
  const entries = [...text.matchAll(/^# ([^\n]+)\n# ([A-Z][A-Z0-9_]*)=(.*)$/gm)];

  it('has every variable of the service and of the vendors at its default, after a sentence about it', () => {
    expect(entries.map(([, , name, fallback]) => `${name ?? ''}=${fallback ?? ''}`).sort()).toEqual(
      environmentVariables(VENDORS)
        .map(({ name, fallback = '' }) => `${name}=${fallback}`)
        .sort(),
    );
  });

  it('says which of them production requires', () => {
    const required = entries
      .filter(([, about]) => about?.endsWith('Required in production.'))
      .map(([, , name]) => name);
    const names = environmentVariables(VENDORS).flatMap(({ name, production }) => (production ? [name] : []));
    expect(required.sort()).toEqual(names.sort());
  });
});
