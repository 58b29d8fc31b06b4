import type { RewriteSubject } from '../../assistants';
import { migrator as newMigrator, renderer as newRenderer, subjectOf } from '../../../test/support/migrator';
import { compareDocuments } from './proved-migrator';
import { RECORDED_INPUTS } from './recorded-inputs';

type Definition = RewriteSubject['definition'];

const migrator = newMigrator();
const renderer = newRenderer();

const stored = (metadata: object, template = 'Read {context} and answer {user_input}'): RewriteSubject =>
  subjectOf({
    metadata: JSON.stringify({ connector: 'openai', llm: 'm', ...metadata }),
    promptTemplate: template,
    ragCollections: 'a,b',
    ragTopK: 4,
  });

/** Problems that the proof finds in a document that is almost right. */
async function against(subject: RewriteSubject, spoil: (definition: Definition) => Definition) {
  const plan = await migrator.plan(subject, 3);
  if (plan.status !== 'ready') throw new Error(JSON.stringify(plan));
  const before = renderer.open(subject);
  const after = renderer.open({ id: subject.id, definition: spoil(plan.definition) });
  return compareDocuments(before, after);
}

const replaced =
  (from: string, to: string) =>
  (definition: Definition): Definition => {
    const { metadata, promptTemplate } = definition;
    const spoilt = {
      ...definition,
      metadata: metadata.replace(from, () => to),
      promptTemplate: promptTemplate.replace(from, () => to),
    };
    expect(spoilt).not.toEqual(definition);
    return spoilt;
  };

const RAG = { rag_processor: 'simple_rag' };
const SECTIONS = { rag_processor: 'hierarchical_rag' };
const RUBRIC = { rag_processor: 'rubric_rag', rubric_id: 42, rubric_format: 'json' };
const FILE = { rag_processor: 'single_file_rag', file_path: 'a.md' };

describe('the proof that prompts stay the same', () => {
  it.each([RAG, SECTIONS, RUBRIC, FILE, { rag_processor: 'no_rag' }])('has nothing against %j', async (metadata) => {
    const same = await against(stored(metadata), (definition) => definition);
    expect(same).toEqual({ problems: [], differences: [] });
  });

  it.each([
    ['fewer passages', RAG, '"top_k":4', '"top_k":3'],
    ['another order of knowledge bases', RAG, '["a","b"]', '["b","a"]'],
    ['a knowledge base less', RAG, '["a","b"]', '["a"]'],
    ['a threshold', RAG, '"top_k":4', '"top_k":4,"threshold":0.1'],
    ['a search mode', RAG, '"top_k":4', '"top_k":4,"mode":"keyword"'],
    ['a budget', RAG, '"max_tokens":100000', '"max_tokens":12000'],
    ['a question that is not rewritten', SECTIONS, '"rewrite_query":true', '"rewrite_query":false'],
    ['passages instead of sections', SECTIONS, '"parent":true', '"parent":false'],
    ['no list of sources', RAG, '"lamb"', '"none"'],
    ['no list of the rubric', RUBRIC, '"lamb"', '"none"'],
    ['another rubric', RUBRIC, '"rubric_id":42', '"rubric_id":43'],
    ['another format', RUBRIC, '"format":"json"', '"format":"markdown"'],
    ['a part of the file', FILE, '"max_chars":10000000', '"max_chars":50000'],
    ['a tool that is switched off', FILE, '"enabled":true', '"enabled":false'],
    ['a slot without its tool', FILE, '{1_file}', '{2_file}'],
    ['other words', FILE, 'Read ', 'Reread '],
    ['images left out', { ...RAG, capabilities: { vision: true } }, '"vision":true', '"vision":false'],
  ])('sees %s', async (_, metadata, from, to) => {
    const { problems, differences } = await against(stored(metadata), replaced(from, to));
    expect(problems[0]).toMatchObject({ code: 'prompt.differs' });
    expect(differences.length).toBeGreaterThan(0);
    for (const { before, after } of differences) {
      expect(before).not.toBe(after);
      expect(Math.max(before.length, after.length)).toBeLessThanOrEqual(400);
    }
  });

  it('sees white space between words also where tools fail, and none at a slot that stays empty', async () => {
    const { differences } = await against(stored(FILE), replaced('Read ', 'Re ad '));
    expect(differences.map(({ input }) => input)).toEqual(RECORDED_INPUTS.map(({ name }) => name));
    const touching = stored(FILE, 'Read<{context}>and{context}{context}answer {user_input}');
    expect(await against(touching, (definition) => definition)).toEqual({ problems: [], differences: [] });
  });

  it.each([
    ['a model', RAG, '"llm":"m"', '"llm":"n"', 'metadata.llm'],
    ['a connector', RAG, '"openai"', '"ollama"', 'metadata.connector'],
    ['a function', { ...RAG, tools: ['weather'] }, '["weather"]', '[]', 'metadata.functions'],
  ])('sees %s that a prompt does not show', async (_, metadata, from, to, path) => {
    const { problems, differences } = await against(stored(metadata), replaced(from, to));
    expect({ problems, differences }).toMatchObject({ problems: [{ path, code: 'setting.differs' }], differences: [] });
  });

  it('sees sources that a client would no longer be told of', async () => {
    const before = renderer.open(stored(RAG));
    const render: typeof before.render = async (input) => {
      const rendering = await before.render(input);
      return rendering && { ...rendering, sources: '[]' };
    };
    const { problems } = await compareDocuments(before, { ...before, render });
    expect(problems).toMatchObject([{ code: 'sources.differ' }]);
  });

  it('sees a setting of a version 2 tool that no recorded input needs', async () => {
    const tools = [{ type: 'simple_rag', config: { collections: ['a'] }, when: true }];
    const { problems } = await against(stored({ _format_version: 2, tools }), replaced('"when":true', '"when":false'));
    expect(problems).toMatchObject([{ path: 'metadata.pipeline', code: 'setting.differs' }]);
  });
});
