import type { JsonObject } from '@bellwether/kernel';
import { specifiedTools } from '../../../../test/support/tool-vocabulary';
import type { AssistantDocument } from '../metadata/document.types';
import { normaliseDocument } from '../normalise';
import { checkClassic, rewritingPaths } from './check-strategy';
import { errorsOf } from './diagnostic.types';

const RAG: Readonly<Record<string, { fetches: boolean; rewrites?: boolean }>> = {
  no_rag: { fetches: false },
  simple_rag: { fetches: true },
  context_aware_rag: { fetches: true, rewrites: true },
};
const PROMPT: Readonly<Record<string, { rewrites?: boolean }>> = {
  simple_augment: {},
  context_aware_augment: { rewrites: true },
};

const rules = {
  findRag: (name: string) => RAG[name],
  findPrompt: (name: string) => PROMPT[name],
  closestRag: (name: string) => (name.startsWith('simple') ? 'simple_rag' : null),
  closestPrompt: (name: string) => (name.startsWith('simple') ? 'simple_augment' : null),
  schemaOf: (tool: string): JsonObject => (tool === 'simple_rag' ? { properties: { rewrite_query: {} } } : {}),
};

const read = (metadata: JsonObject): AssistantDocument =>
  normaliseDocument({ systemPrompt: '', promptTemplate: '', metadata, ragCollections: [], ragTopK: 3 }, specifiedTools);
const told = (metadata: JsonObject) =>
  checkClassic(read(metadata), rules).map(({ severity, code, path }) => [severity, code, path]);

describe('a classic assistant', () => {
  it('with unknown processors has an error for each, with the nearest known name, and is saved all the same', () => {
    const metadata = { rag_processor: 'simple_rga', prompt_processor: 'nope' };
    const found = checkClassic(read(metadata), rules);
    expect(told(metadata)).toEqual([
      ['error', 'processor.unknown', 'metadata.rag_processor'],
      ['error', 'processor.unknown', 'metadata.prompt_processor'],
    ]);
    expect(found[0]?.message).toContain('did you mean "simple_rag"?');
    expect(found[1]?.message).not.toContain('did you mean');
    expect(errorsOf(found)).toEqual([]);
  });

  it.each([[{}], [{ rag_processor: '', prompt_processor: 'default' }], [{ rag_processor: 'No RAG' }]])(
    'with known, missing and aliased processors has none: %j',
    (metadata) => expect(told(metadata)).toEqual([]),
  );

  it('is told of a document of a LAMB library, which nothing here reads', () => {
    expect(told({ document_rag: 'library_file_rag' })).toEqual([
      ['warning', 'setting.unsupported', 'metadata.document_rag'],
    ]);
    for (const document_rag of ['', 'no_rag', null]) expect(told({ document_rag })).toEqual([]);
  });

  it('is not judged by its classic half when it is multi-tool', () => {
    expect(told({ assistant_type: 'multi_tool', rag_processor: 'nope', document_rag: 'library_file_rag' })).toEqual([]);
  });
});

describe('what asks for a rewritten question', () => {
  const paths = (metadata: JsonObject): string[] => rewritingPaths(read(metadata), rules);

  it('are classic processors that look at the conversation', () => {
    expect(paths({ rag_processor: 'context_aware_rag' })).toEqual(['metadata.rag_processor']);
    const augment = { prompt_processor: 'context_aware_augment' };
    expect(paths({ ...augment, rag_processor: 'simple_rag' })).toEqual(['metadata.prompt_processor']);
    expect(paths({ ...augment, rag_processor: 'no_rag' })).toEqual([]);
    expect(paths({ rag_processor: 'simple_rag' })).toEqual([]);
  });

  it('are tools and fallbacks with `rewrite_query` that know this setting', () => {
    const rewrite = { plugin: 'simple_rag', config: { rewrite_query: true } };
    const tools = [
      rewrite,
      { ...rewrite, enabled: false },
      { plugin: 'rubric_rag', config: { rewrite_query: true }, fallback: rewrite },
      { plugin: 'simple_rag', config: { rewrite_query: false } },
    ];
    expect(paths({ assistant_type: 'multi_tool', tools })).toEqual([
      'metadata.tools[0].config.rewrite_query',
      'metadata.tools[2].fallback.config.rewrite_query',
    ]);
  });
});
