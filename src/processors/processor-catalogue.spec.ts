import { PROMPT_PROCESSOR_PLUGINS, RAG_PROCESSOR_PLUGINS } from './catalog';
import { NoRagProcessor } from './catalog/no-rag/no-rag.processor';
import { SimpleAugmentProcessor } from './catalog/simple-augment/simple-augment.processor';
import { ProcessorCatalogue } from './processor-catalogue';
import { processorsOver } from './processor-plugins';

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
    expect(catalogue.findRag('no_rag')?.fetches).toBe(false);
    expect(await new NoRagProcessor().run()).toEqual({ content: '', sources: [], confidence: null });
  });
});

it('builds every plugin of the catalogue over other services', () => {
  const built = processorsOver(new Map());
  expect(built.prompt.map((plugin) => plugin.constructor)).toEqual(PROMPT_PROCESSOR_PLUGINS);
  expect(built.rag.map((plugin) => plugin.constructor)).toEqual(RAG_PROCESSOR_PLUGINS);
});
