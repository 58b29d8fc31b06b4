import { startApp, type TestApp } from '../support/app';
import { rubricDocument } from '../support/lamb-source';
import { foreignOrganization, type Person, person } from '../support/people';

let app: TestApp;
let teacher: Person;
beforeAll(async () => {
  app = await startApp();
  teacher = await person(app);
});
afterAll(() => app.stop());

const validate = (body: unknown) => teacher.api('POST', '/api/v1/assistants/validate', body);
const tool = (plugin: string, placeholder: string, config: object, more: object = {}): object => ({
  plugin,
  placeholder,
  enabled: true,
  config,
  ...more,
});
const multiTool = (...tools: unknown[]): object => ({ assistant_type: 'multi_tool', connector: 'auto', tools });

describe('POST /api/v1/assistants/validate', () => {
  it('answers with exact ranges, paths and the state of every placeholder', async () => {
    const kb = (await teacher.api('POST', '/api/v1/knowledge-bases', { name: 'Biology' })).json.id;
    const template = '😀 {1_context} and {9_context}, \\frac{a}{b}: {user_input}';
    const answer = await validate({
      template,
      metadata: multiTool(
        tool('simple_rag', '1_context', { collections: [kb] }),
        tool('rubric_rag', '2_rubric', { rubric_id: null }),
        tool('simple_rag', '3_context', { collections: [kb] }, { enabled: false }),
      ),
    });
    expect(answer.status).toBe(200);
    const start = template.indexOf('{9_context}');
    expect(answer.json).toEqual({
      valid: true,
      diagnostics: [
        {
          severity: 'warning',
          code: 'tool.config_incomplete',
          message: expect.any(String),
          path: 'metadata.tools[1].config.rubric_id',
        },
        {
          severity: 'warning',
          code: 'placeholder.undefined',
          message: expect.stringContaining('{9_context}'),
          path: 'template',
          range: { start, end: start + '{9_context}'.length },
          values: { reason: 'slot.no_tool' },
        },
        {
          severity: 'warning',
          code: 'placeholder.unused',
          message: expect.stringContaining('{2_rubric}'),
          path: 'metadata.tools[1].placeholder',
        },
      ],
      placeholders: [
        { name: '1_context', state: 'used', tool_index: 0 },
        { name: '9_context', state: 'undefined' },
        { name: 'user_input', state: 'used' },
        { name: '2_rubric', state: 'unused', tool_index: 1 },
      ],
      material: [],
    });
  });

  it('checks the edit of a colleague with the access of the owner, and names the owner’s material', async () => {
    const base = async (name: string): Promise<string> =>
      (await teacher.api('POST', '/api/v1/knowledge-bases', { name })).json.id;
    const [kb, other] = [await base('Private notes'), await base('Diary')];
    const rubric = (await teacher.api('POST', '/api/v1/rubrics', rubricDocument('Essay'))).json.id;
    const search = (...collections: string[]) => tool('simple_rag', '1_context', { collections });
    const template = '{1_context} {2_rubric} {user_input}';
    const metadata = multiTool(search(kb), tool('rubric_rag', '2_rubric', { rubric_id: rubric }));
    const made = await teacher.api('POST', '/api/v1/assistants', {
      name: 'Shared',
      prompt_template: template,
      metadata,
    });
    const { id, owner } = made.json;
    const [editor, stranger] = [await person(app), await person(app)];
    const shares = [{ email: editor.email, access: 'edit' }];
    expect((await teacher.api('PUT', `/api/v1/assistants/${id}/shares`, { shares })).status).toBe(200);

    const check = (who: Person, body: object) =>
      who.api('POST', '/api/v1/assistants/validate', { template, metadata, ...body });
    const inaccessible = ({ json }: { json: any }): string[] =>
      json.diagnostics.filter(({ code }: any) => code === 'tool.inaccessible').map(({ path }: any) => path);
    expect(inaccessible(await check(editor, {}))).toHaveLength(2);
    const edited = await check(editor, { assistant_id: id });
    expect([edited.status, inaccessible(edited)]).toEqual([200, []]);
    expect(edited.json.material).toEqual([
      { type: 'knowledge_base', reference: kb, name: 'Private notes', owner: owner.name },
      { type: 'rubric', reference: rubric, name: 'Essay', owner: owner.name },
    ]);
    expect((await check(teacher, { assistant_id: id })).json.material).toEqual([]);
    expect((await check(stranger, { assistant_id: id })).status).toBe(404);

    // What the edit adds is the owner's as well, and out of the editor's reach: it is told like something missing.
    const told = async (added: string): Promise<string> => {
      const more = { ...metadata, tools: [search(kb, added)] };
      const { json } = await check(editor, { assistant_id: id, metadata: more, template: '{1_context} {user_input}' });
      expect(inaccessible({ json })).toEqual(['metadata.tools[0].config.collections[1]']);
      return JSON.stringify(json).replaceAll(added, 'ID');
    };
    expect(await told(other)).toBe(await told(`${other.slice(0, -4)}0000`));
  });

  it.each([
    ['tool.unknown', multiTool(tool('simple_rga', '1_context', {})), 'metadata.tools[0].plugin'],
    ['tool.config_invalid', multiTool(tool('simple_rag', '1_context', { top_k: 0 })), 'metadata.tools[0].config.top_k'],
    [
      'tool.inaccessible',
      multiTool(tool('simple_rag', '1_context', { collections: ['nobodys'] })),
      'metadata.tools[0].config.collections[0]',
    ],
    [
      'placeholder.duplicate',
      multiTool(tool('rubric', 'rubric', { rubric_id: null }), tool('rubric', 'rubric', { rubric_id: null })),
      'metadata.tools[1].placeholder',
    ],
    ['placeholder.invalid', multiTool(tool('simple_rag', 'user_input', {})), 'metadata.tools[0].placeholder'],
    ['orchestrator.unknown', { ...multiTool(), orchestrator: 'builtins' }, 'metadata.orchestrator'],
    [
      'dependency.cycle',
      multiTool(tool('no_rag', '', {}), tool('simple_rag', '1_context', {}, { depends_on: ['1_context'] })),
      'metadata.tools[1].depends_on',
    ],
    ['metadata.invalid', '{', 'metadata'],
    ['metadata.version_unknown', { _format_version: 4 }, 'metadata._format_version'],
  ])('finds %s', async (code, metadata, path) => {
    const { status, json } = await validate({ template: '{user_input}', metadata });
    const errors = json.diagnostics.filter(({ severity }: { severity: string }) => severity === 'error');
    expect([status, json.valid, errors.map((each: any) => [each.code, each.path])]).toEqual([
      200,
      false,
      [[code, path]],
    ]);
  });

  it('does not take a tool that calls itself user_input for the question', async () => {
    const metadata = multiTool(tool('simple_rag', 'user_input', {}));
    for (const [template, state] of [
      ['{user_input}', 'used'],
      ['Hello', 'unused'],
    ]) {
      const { json } = await validate({ template, metadata });
      expect(json.placeholders).toEqual([{ name: 'user_input', state }]);
    }
  });

  it('warns of a template without the question, and of nothing in an empty request', async () => {
    expect((await validate({ template: 'Hello' })).json.diagnostics).toMatchObject([
      { code: 'template.no_user_input' },
    ]);
    expect((await validate({})).json).toMatchObject({ valid: true, diagnostics: [] });
  });

  it('warns of a model that the organization does not offer', async () => {
    await app.api('PATCH', '/api/v1/organizations/default', { models: ['gpt-4o-mini'] });
    const { json } = await validate({ template: '{user_input}', metadata: { llm: 'gpt-9' } });
    expect(json.diagnostics).toMatchObject([
      { severity: 'warning', code: 'connector.model_unavailable', path: 'metadata.llm' },
    ]);
    await app.api('PATCH', '/api/v1/organizations/default', { models: [] });
  });

  it('warns of a model that the provider does not list, at save as well, and of an unknown connector', async () => {
    const slug = await foreignOrganization(app);
    await app.api('PATCH', `/api/v1/organizations/${slug}`, {
      providers: { openai: { api_key: 'sk-canary-validate-1', models: ['gpt-4o-mini'] } },
    });
    const member = await person(app, { organization: slug });
    const told = async (metadata: object): Promise<unknown[]> => {
      const checked = await member.api('POST', '/api/v1/assistants/validate', { template: '{user_input}', metadata });
      const body = { name: 'x', prompt_template: '{user_input}', metadata };
      const saved = await member.api('POST', '/api/v1/assistants', body);
      expect([checked.status, saved.status]).toEqual([200, 201]);
      expect(saved.json.diagnostics).toEqual(checked.json.diagnostics);
      return checked.json.diagnostics.map((each: any) => [each.severity, each.code, each.path]);
    };
    const unavailable = ['warning', 'connector.model_unavailable', 'metadata.llm'];
    expect(await told({ connector: 'openai', llm: 'gpt-9' })).toEqual([unavailable]);
    expect(await told({ connector: 'openai', llm: 'gpt-4o-mini' })).toEqual([]);
    expect(await told({ connector: 'openai' })).toEqual([]);
    expect(await told({ connector: 'ollama', llm: 'llama3' })).toEqual([
      ['warning', 'connector.not_configured', 'metadata.connector'],
    ]);
    const unknown = ['warning', 'connector.unknown', 'metadata.connector'];
    expect(await told({ connector: 'opneai', llm: 'gpt-9' })).toEqual([unknown]);
  });

  it('finds unknown processors of a classic assistant, which is stored and edited all the same', async () => {
    const template = '{context}{user_input}';
    const metadata = { prompt_processor: 'simple_augmet', rag_processor: 'nope_rag', connector: 'bypass' };
    const unknown = [
      ['error', 'processor.unknown', 'metadata.rag_processor'],
      ['error', 'processor.unknown', 'metadata.prompt_processor'],
    ];
    const told = ({ json }: { json: any }) =>
      json.diagnostics.map((each: any) => [each.severity, each.code, each.path]);
    const checked = await validate({ template, metadata });
    expect([checked.json.valid, told(checked)]).toEqual([false, unknown]);
    expect(checked.json.diagnostics[1].message).toContain('did you mean "simple_augment"?');
    const body = { name: 'From LAMB', prompt_template: template, metadata };
    const made = await teacher.api('POST', '/api/v1/assistants', body);
    expect([made.status, told(made)]).toEqual([201, unknown]);
    const path = `/api/v1/assistants/${made.json.id}`;
    const edited = await teacher.api('PATCH', path, { prompt_template: `${template}!` });
    expect([edited.status, told(edited)]).toEqual([200, unknown]);
    expect(told(await teacher.api('GET', path))).toEqual(unknown);
    expect((await teacher.api('PUT', `${path}/publication`)).status).toBe(409);
    const run = await teacher.api('POST', `${path}/completions`, { messages: [{ role: 'user', content: 'Hi' }] });
    expect([run.status, run.text]).toEqual([200, expect.stringContaining('Hi')]);
    await teacher.api('DELETE', path);
  });

  it('finds keys of a tool that nothing reads, and keeps them', async () => {
    const misspelt = tool('no_rag', '', {}, { enable: false, on_eror: 'fail' });
    const metadata = multiTool(misspelt);
    const { json } = await validate({ template: '{user_input}', metadata });
    expect([json.valid, json.diagnostics.map(({ code, path }: any) => [code, path])]).toEqual([
      false,
      [
        ['tool.unknown_key', 'metadata.tools[0].enable'],
        ['tool.unknown_key', 'metadata.tools[0].on_eror'],
      ],
    ]);
    const body = { name: 'Misspelt', prompt_template: '{user_input}', metadata };
    const made = await teacher.api('POST', '/api/v1/assistants', body);
    expect(made.json.metadata.tools[0]).toMatchObject({ enable: false, on_eror: 'fail' });
    await teacher.api('DELETE', `/api/v1/assistants/${made.json.id}`);
  });

  it('warns of rewriting without a fast model', async () => {
    const slug = await foreignOrganization(app);
    const member = await person(app, { organization: slug });
    const kb = (await member.api('POST', '/api/v1/knowledge-bases', { name: 'Biology' })).json.id;
    const rewriting = tool('simple_rag', '1_context', { collections: [kb], rewrite_query: true });
    const check = async (metadata: object) => {
      const body = { template: '{1_context}{context}{user_input}', metadata, RAG_collections: [kb] };
      const { json } = await member.api('POST', '/api/v1/assistants/validate', body);
      return json.diagnostics.filter(({ code }: any) => code === 'rewrite.no_fast_model').map(({ path }: any) => path);
    };
    const classic = { rag_processor: 'simple_rag', prompt_processor: 'context_aware_augment' };
    expect(await check(multiTool(rewriting))).toEqual(['metadata.tools[0].config.rewrite_query']);
    expect(await check(classic)).toEqual(['metadata.prompt_processor']);
    await app.api('PATCH', `/api/v1/organizations/${slug}`, {
      providers: { openai: { api_key: 'sk-canary-validate-2', fast_model: 'gpt-4o-mini' } },
    });
    expect([...(await check(multiTool(rewriting))), ...(await check(classic))]).toEqual([]);
  });

  it('tells the same of a foreign knowledge base as of a missing one', async () => {
    const slug = await foreignOrganization(app);
    const stranger = await person(app, { organization: slug });
    const kb: string = (await stranger.api('POST', '/api/v1/knowledge-bases', { name: 'Private' })).json.id;
    const missing = `${kb.slice(0, -4)}0000`;
    const told = async (id: string): Promise<string> =>
      JSON.stringify(
        (await validate({ metadata: multiTool(tool('simple_rag', '1_context', { collections: [id] })) })).json,
      ).replaceAll(id, 'ID');
    expect(await told(kb)).toBe(await told(missing));
    expect(await told(kb)).toContain('tool.inaccessible');
  });

  it('writes nothing and runs nothing that configuration says', async () => {
    const payload = "global.__hit = 1; require('fs').writeFileSync('/tmp/hit', '1')";
    const metadata = multiTool(tool('simple_rag', '1_context', { collections: [] }, { when: { eval: payload } }));
    const total = async (): Promise<number> => (await teacher.api('GET', '/api/v1/assistants?owner=me')).json.total;
    const before = await total();
    const { valid, diagnostics } = (await validate({ template: '${7*7} {{7*7}} {user_input}', metadata })).json;
    expect(valid).toBe(false);
    expect(diagnostics.filter(({ severity }: any) => severity === 'error')).toEqual([
      expect.objectContaining({ code: 'condition.invalid', path: 'metadata.tools[0].when' }),
    ]);
    expect((globalThis as Record<string, unknown>).__hit).toBeUndefined();
    expect(await total()).toBe(before);
  });

  it('gives limits and names as values of a reason, for a refused save as well', async () => {
    const metadata = multiTool(tool('simple_rag', '1_context', { top_k: 0 }), tool('simple_rga', '2_context', {}));
    const { json } = await validate({ metadata, template: '{1_context} {2_context} {user_input}' });
    const valuesOf = (code: string): unknown =>
      json.diagnostics.find((found: { code: string }) => found.code === code)?.values;
    expect(valuesOf('tool.config_invalid')).toEqual({ reason: 'value.minimum', limit: 1 });
    expect(valuesOf('tool.unknown')).toEqual({ reason: 'name.misspelt', name: 'simple_rga', closest: 'simple_rag' });
    const saved = await teacher.api('POST', '/api/v1/assistants', { name: 'x'.repeat(2000), metadata });
    expect(saved.json.errors).toContainEqual(
      expect.objectContaining({ path: 'name', code: 'value.max_length', values: { limit: 200 } }),
    );
  });

  it('refuses what is not part of the request', async () => {
    const refused = await validate({ template: 1, other: true });
    expect(new Set(refused.json.errors.map((each: any) => each.path))).toEqual(new Set(['other', 'template']));
  });
});
