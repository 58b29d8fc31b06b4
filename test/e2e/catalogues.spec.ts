import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startApp, type TestApp } from '../support/app';
import { STRATEGY_PLUGINS } from '../../src/orchestrators/catalog';

describe('the catalogues', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp();
  }, 60_000);
  afterAll(() => app.stop());

  const get = (path: string) => app.api('GET', `/api/v1/${path}`);

  it.each(['tools', 'tools/simple_rag', 'orchestrators', 'prompt-processors', 'rag-processors'])(
    'answers /%s to a key only',
    async (path) => {
      expect((await app.api('GET', `/api/v1/${path}`, undefined, { authorization: 'Bearer bw_nobody' })).status).toBe(
        401,
      );
      expect((await get(path)).status).toBe(200);
    },
  );

  it('lists the tools with everything a form needs', async () => {
    const { json } = await get('tools');
    expect(json.count).toBe(json.tools.length);
    const names = json.tools.map((tool: { name: string }) => tool.name);
    expect(names).toEqual(expect.arrayContaining(['simple_rag', 'rubric_rag', 'single_file_rag', 'no_rag']));
    expect(Object.keys(json.tools[0]).sort()).toEqual(
      [
        ...['name', 'display_name', 'description', 'placeholder', 'category', 'version', 'config_schema', 'kind'],
        ...['icon', 'allow_multiple', 'parameters', 'examples', 'capabilities', 'limitations', 'cost', 'stats'],
        ...['texts', 'role', 'evidence'],
      ].sort(),
    );
    const [simpleRag] = json.tools.filter((tool: { name: string }) => tool.name === 'simple_rag');
    expect(simpleRag).toMatchObject({
      placeholder: 'context',
      category: 'rag',
      role: 'search',
      evidence: 'found',
      texts: { eu: { name: expect.any(String), about: expect.any(String) } },
      kind: 'pipeline',
      config_schema: { properties: { top_k: { minimum: 1, maximum: 20, default: 3 } }, required: ['collections'] },
      stats: { calls: null, failure_rate: null, avg_ms: null, p95_ms: null, confidence: null },
    });
  });

  it('filters tools by capability', async () => {
    expect((await get('tools?capability=assessment')).json.tools).toMatchObject([
      { name: 'rubric_rag' },
      { name: 'rubric' },
    ]);
    expect((await get('tools?capability=teleport')).json).toEqual({ tools: [], count: 0 });
    expect((await get('tools?colour=red')).status).toBe(400);
  });

  it('finds one tool by its name or an old one', async () => {
    expect((await get('tools/rubric_rag')).json.name).toBe('rubric_rag');
    expect((await get('tools/no_tool')).json.name).toBe('no_rag');
  });

  describe('the name of a tool', () => {
    type Named = { name: string; display_name: string; description: string; kind: string; slots?: string[] } & {
      texts: Record<string, { name: string; about: string }>;
    };
    const listed = async (path: string, key: string): Promise<Named[]> => (await get(path)).json[key];
    const namesOf = ({ texts }: Named) => Object.entries(texts).map(([language, { name }]) => [language, name]);

    it('is the one that people know the tool by', async () => {
      const names = new Map((await listed('tools', 'tools')).map(({ name, display_name }) => [name, display_name]));
      expect(['simple_rag', 'rubric_rag', 'single_file_rag', 'no_rag'].map((name) => names.get(name))).toEqual([
        'Knowledge Base RAG',
        'Assessment Rubric',
        'Single File Context',
        'No Processing',
      ]);
    });

    it('is the same in the texts for pages, and no other tool of its kind has it', async () => {
      const tools = await listed('tools', 'tools');
      for (const { texts, display_name: name, description: about } of tools)
        expect(texts['en']).toEqual({ name, about });
      for (const language of ['en', 'es', 'ca', 'eu']) {
        const shown = tools.map(({ kind, texts }) => `${kind} ${texts[language]?.name}`);
        expect(shown).toEqual([...new Set(shown)]);
      }
    });

    it('is that of the classic processor which fetches the same', async () => {
      const tools = new Map((await listed('tools', 'tools')).map((tool) => [tool.name, tool]));
      const fetching = (await listed('rag-processors', 'rag_processors')).filter(
        ({ name, slots }) => tools.has(name) && slots?.includes('context'),
      );
      expect(fetching.map(({ name }) => name).sort()).toEqual(['rubric_rag', 'simple_rag', 'single_file_rag']);
      for (const processor of fetching) expect(namesOf(processor)).toEqual(namesOf(tools.get(processor.name) as Named));
    });

    it('stands in no list of the web UI', async () => {
      const own = (await listed('tools', 'tools')).filter(
        ({ kind, name }) => kind === 'pipeline' && name.includes('_'),
      );
      expect(own.length).toBeGreaterThan(6);
      const tool = `(?:${own.map(({ name }) => name).join('|')})`;
      const list = new RegExp(`\\b${tool}['"]?\\s*:|\\.${tool}\\.(?:name|title|label|about)\\b`);
      const folder = join(__dirname, '../../web/src');
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
        (file) => /\.(?:ts|svelte|json)$/.test(file) && !/\.spec\.ts$|schema\.d\.ts$/.test(file),
      );
      expect(files.length).toBeGreaterThan(100);
      expect(files.filter((file) => list.test(readFileSync(join(folder, file), 'utf8')))).toEqual([]);
      expect(list.test(`{ "tools.rubric_rag": "Rubric" }`) && list.test(`t('tools.no_rag.name')`)).toBe(true);
    });
  });

  it('names the closest match of a tool that does not exist', async () => {
    const answer = await get('tools/single_file_rga');
    expect(answer.status).toBe(404);
    expect(answer.json).toMatchObject({
      code: 'not_found',
      detail: "There is no tool named 'single_file_rga'. Did you mean 'single_file_rag'?",
    });
    expect((await get(`tools/${'x'.repeat(2000)}`)).text).not.toContain('x'.repeat(65));
  });

  it('checks a config and lists every problem with its path', async () => {
    const check = (body: unknown, tool = 'simple_rag') => app.api('POST', `/api/v1/tools/${tool}/validate`, body);
    expect((await check({ collections: ['a'], top_k: 5 })).json).toEqual({ valid: true, errors: [] });
    const bad = await check({ collections: ['a', 1], top_k: 99, surprise: true });
    expect(bad.status).toBe(200);
    expect(bad.json.valid).toBe(false);
    expect(bad.json.errors.map(({ path }: { path: string }) => path).sort()).toEqual([
      'collections[1]',
      'surprise',
      'top_k',
    ]);
    expect((await check({ rubric_id: 42, format: 'html' }, 'rubric')).json.errors).toEqual([
      { path: 'format', message: 'must be one of markdown, json' },
    ]);
    expect((await check({}, 'nope')).status).toBe(404);
    for (const [tool, missing] of [
      ['simple_rag', 'collections'],
      ['rubric_rag', 'rubric_id'],
      ['single_file_rag', 'file_path'],
    ])
      expect((await check({}, tool)).json).toEqual({
        valid: false,
        errors: [{ path: missing, message: 'is required' }],
      });
  });

  it('lists strategies and classic processors', async () => {
    const strategies = (await get('orchestrators')).json.orchestrators;
    expect(strategies.map(({ name }: { name: string }) => name)).toEqual(STRATEGY_PLUGINS.map(({ key }) => key));
    for (const strategy of strategies) {
      expect(strategy).toEqual({
        name: expect.any(String),
        description: expect.any(String),
        texts: { en: expect.any(Object), es: expect.any(Object), ca: expect.any(Object), eu: expect.any(Object) },
        options_schema: expect.any(Object),
        reads: expect.any(Array),
        shape: { order: expect.stringMatching(/^(chain|parallel|dependencies)$/), planned: expect.any(Boolean) },
        recommended: strategy.name === 'sequential',
      });
    }
    const prompts = (await get('prompt-processors')).json.prompt_processors;
    expect(prompts.map((each: { name: string }) => each.name)).toEqual([
      'simple_augment',
      'tool_augment',
      'context_aware_augment',
      'moodle_augment',
    ]);
    const processors = (await get('rag-processors')).json.rag_processors.map((each: { name: string }) => each.name);
    expect(processors).toEqual(expect.arrayContaining(['no_rag', 'simple_rag', 'rubric_rag', 'single_file_rag']));
  });
});
