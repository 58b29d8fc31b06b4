import { DISPLAY_LANGUAGES } from '../tools';
import { PROMPT_PROCESSOR_PLUGINS, RAG_PROCESSOR_PLUGINS } from './catalog';
import { NoRagProcessor } from './catalog/no-rag.processor';
import { SimpleAugmentProcessor } from './catalog/simple-augment.processor';
import { fetches } from './contract';
import { ProcessorCatalogue, processorsOver } from './processor-catalogue';

const catalogue = new ProcessorCatalogue([new SimpleAugmentProcessor()], [new NoRagProcessor()]);

describe('the catalogue of classic processors', () => {
  it.each(['simple_augment', 'default', ''])('reads the stored prompt processor %j', (name) => {
    expect(catalogue.findPrompt(name)?.definition.name).toBe('simple_augment');
  });

  it.each(['no_rag', 'No RAG', ''])('reads the stored RAG processor %j', (name) => {
    expect(catalogue.findRag(name)?.definition.name).toBe('no_rag');
  });

  it.each(['nope', 'constructor', '__proto__'])('knows nothing called %j', (name) => {
    expect(catalogue.findPrompt(name)).toBeUndefined();
    expect(catalogue.findRag(name)).toBeUndefined();
  });

  it('fetches nothing for no_rag', async () => {
    expect(fetches(new NoRagProcessor())).toBe(false);
    expect(await new NoRagProcessor().run()).toEqual({ content: '', sources: [], confidence: null });
  });
});

it('builds every plugin of the catalogue over other services', () => {
  const built = processorsOver(new Map());
  const classOf = (plugin: object | undefined): unknown => plugin?.constructor;
  expect(built.promptDefinitions().map(({ name }) => classOf(built.findPrompt(name)))).toEqual(
    PROMPT_PROCESSOR_PLUGINS,
  );
  expect(built.ragDefinitions().map(({ name }) => classOf(built.findRag(name)))).toEqual(RAG_PROCESSOR_PLUGINS);
});

describe('a definition', () => {
  const built = processorsOver(new Map());

  it.each([...built.promptDefinitions(), ...built.ragDefinitions()])(
    '$name has texts in four languages',
    (definition) => {
      expect(Object.keys(definition.texts ?? {}).sort()).toEqual([...DISPLAY_LANGUAGES].sort());
      for (const { name, about } of Object.values(definition.texts ?? {})) {
        expect(name.trim()).not.toBe('');
        expect(about).toMatch(/[.!]$/);
      }
    },
  );

  it.each([...built.promptDefinitions(), ...built.ragDefinitions()])(
    '$name declares a search of material when it reads knowledge bases',
    ({ settings = [], material_search: search }) => {
      expect(search !== undefined).toBe(settings.includes('collections'));
    },
  );
});
