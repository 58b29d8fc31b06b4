import { openLambSource } from '@bellwether/lamb-reader';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LambImport, NO_CHOICES } from '../../extensions/lamb-import';
import { type ApiAnswer, filesForm, startApp, type TestApp } from '../support/app';
import { multiTool, user } from '../support/chat';
import { ingested } from '../support/ingested';
import { buildLambDatabase, type LambRow } from '../support/lamb-database';
import { keyOf, type Person, person } from '../support/people';
import { startUpstream, type Upstream } from '../support/upstream';
import { until } from '../support/until';

const CANARY = 'The lipid bilayer is five nanometres thick.';
const SHEET = 'Hand in the worksheet on osmosis by Friday.';
const QUESTION = 'How thick is the lipid bilayer?';
const CLASSIC = { connector: 'openai', llm: 'gpt-4o-mini', prompt_processor: 'simple_augment' };

describe('the material of an assistant', () => {
  let app: TestApp;
  let upstream: Upstream;
  let teacher: Person;
  let kb: string;

  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-material-1' } });
    teacher = await person(app);
    kb = (await teacher.api('POST', '/api/v1/knowledge-bases', { name: 'Membranes' })).json.id;
    await ingested(teacher, kb, { 'membranes.md': `# Membranes\n\n${CANARY}\n` });
    await teacher.api('POST', '/api/v1/files', filesForm(['sheet.md', SHEET]));
  }, 60_000);
  beforeEach(() => {
    upstream.reset();
    upstream.always({ content: 'ok' });
  });
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
  });

  const search = (more: object = {}): object => ({ plugin: 'simple_rag', config: { collections: [kb] }, ...more });
  const sheet = { plugin: 'single_file_rag', config: { file_path: 'sheet.md' } };
  const create = (body: object): Promise<ApiAnswer> =>
    teacher.api('POST', '/api/v1/assistants', { name: 'Cells', ...body });
  const patch = (id: number, body: object): Promise<ApiAnswer> =>
    teacher.api('PATCH', `/api/v1/assistants/${id}`, body);
  const bare = (): Promise<ApiAnswer> => create({ metadata: multiTool([search()]) });
  const publish = (id: number): Promise<ApiAnswer> => teacher.api('PUT', `/api/v1/assistants/${id}/publication`);

  /** The texts of the vendor's last request. */
  const asked = (): string =>
    JSON.stringify((upstream.requests.at(-1)?.body.messages ?? []).map(({ content }: any) => content));
  async function ask(path: string, body: object = {}, who: Pick<Person, 'api'> = teacher): Promise<any> {
    const answer = await who.api('POST', path, { messages: [user(QUESTION)], ...body });
    expect(answer.status).toBe(200);
    return answer.json;
  }
  const askAssistant = (id: number, who?: Pick<Person, 'api'>): Promise<any> =>
    ask(`/api/v1/assistants/${id}/completions`, {}, who);

  /** Each way to make an assistant from `Membranes`, to its id. */
  const WAYS: Readonly<Record<string, () => Promise<number>>> = {
    'the request of the web form': async () =>
      (
        await create({
          description: '',
          system_prompt: '',
          prompt_template: 'Course material:\n\n{1_context}\n\nQuestion:\n\n{user_input}',
          metadata: {
            _format_version: 3,
            ...multiTool([search({ placeholder: '1_context', enabled: true })]),
            functions: [],
          },
        })
      ).json.id,
    'the API without a template': async () => (await bare()).json.id,
    'the API with an empty template and unnumbered tools': async () =>
      (
        await create({
          prompt_template: '',
          metadata: {
            connector: 'openai',
            llm: 'gpt-4o-mini',
            tools: [{ type: 'simple_rag', config: { collections: [kb] } }],
          },
        })
      ).json.id,
    'tools that are added later': async () => {
      const made = await create({ prompt_template: '{user_input}', metadata: multiTool([]) });
      return (await patch(made.json.id, { metadata: multiTool([sheet, search()]) })).json.id;
    },
    'a recipe': async () => {
      const { recipes } = (await teacher.api('GET', '/api/v1/recipes')).json;
      const { definition } = recipes.find(({ id }: { id: string }) => id === 'course-questions');
      const metadata = { ...definition.metadata, connector: 'openai', llm: 'gpt-4o-mini' };
      metadata.tools[0].config.collections = [kb];
      return (await create({ ...definition, metadata })).json.id;
    },
    'an import': async () =>
      (
        await teacher.api('POST', '/api/v1/assistants/import', {
          assistant: { name: 'Imported', metadata: multiTool([search()]) },
        })
      ).json.id,
    'a duplicate': async () => {
      const made = await bare();
      return (await teacher.api('POST', `/api/v1/assistants/${made.json.id}/duplicate`)).json.id;
    },
    'a conversion from classic': async () => {
      const made = await create({
        prompt_template: '{context} {user_input}',
        metadata: { ...CLASSIC, rag_processor: 'simple_rag' },
        RAG_collections: [kb],
      });
      return (await teacher.api('POST', `/api/v1/assistants/${made.json.id}/convert`)).json.id;
    },
    'a restored version': async () => {
      const { id } = (await bare()).json;
      await patch(id, { prompt_template: '{user_input}' });
      return (await teacher.api('POST', `/api/v1/assistants/${id}/versions/1/restore`)).json.id;
    },
  };

  it.each(Object.entries(WAYS))('reaches the model after %s, and the assistant can be published', async (_, make) => {
    const id = await make();
    expect(id).toEqual(expect.any(Number));
    const { sources } = await askAssistant(id);
    expect(asked()).toContain(CANARY);
    expect(sources.map(({ title }: { title: string }) => title)).toContain('Membranes');
    expect(await publish(id)).toMatchObject({ status: 200, json: { published: true } });
  });

  it('reaches the model from a definition that is not saved', async () => {
    const definition = { metadata: multiTool([search()]) };
    const started = await teacher.api('POST', '/api/v1/runs', { definition, messages: [user(QUESTION)] });
    expect(started.status).toBe(202);
    await teacher.api('GET', `/api/v1/runs/${started.json.run_id}/events`);
    expect(asked()).toContain(CANARY);
  });

  it('is where the labels of its language say, and follows the tools while nobody wrote a template', async () => {
    const { id, prompt_template } = (await bare()).json;
    expect(prompt_template).toBe('Course material:\n\n{1_context}\n\nQuestion:\n\n{user_input}');
    const off = { ...sheet, enabled: false };
    const followed = await patch(id, { metadata: multiTool([search({ label: 'The book' }), sheet, off]) });
    expect(followed.json.prompt_template).toBe(
      'The book:\n\n{1_context}\n\nDocument:\n\n{2_file}\n\nQuestion:\n\n{user_input}',
    );
    const renamed = await patch(id, { name: 'Other', prompt_template: 'Mine: {1_context} {user_input}' });
    expect(renamed.json.prompt_template).toBe('Mine: {1_context} {user_input}');
    const own = await patch(id, { metadata: multiTool([sheet, search()]) });
    expect(own.json.prompt_template).toBe('Mine: {1_context} {user_input}');
  });

  it('is no source while the template has no slot for it, and the assistant is not published', async () => {
    const made = await create({ prompt_template: '{2_file} {user_input}', metadata: multiTool([search(), sheet]) });
    const { sources } = await askAssistant(made.json.id);
    expect([asked().includes(CANARY), asked().includes(SHEET)]).toEqual([false, true]);
    expect(sources.map(({ type, n }: { type: string; n: number }) => [type, n])).toEqual([['file', 1]]);
    const refused = await publish(made.json.id);
    expect([refused.status, refused.json.errors]).toEqual([
      409,
      [expect.objectContaining({ code: 'placeholder.unused', path: 'metadata.tools[0].placeholder' })],
    ]);
    const classic = await create({
      prompt_template: 'Q: {user_input}',
      metadata: { ...CLASSIC, rag_processor: 'simple_rag' },
      RAG_collections: [kb],
    });
    expect((await askAssistant(classic.json.id)).sources ?? []).toEqual([]);
  });

  it('is quoted only where a model would have seen it', async () => {
    const made = await create({
      prompt_template: '{user_input}',
      metadata: { ...multiTool([search()]), connector: 'quotes' },
    });
    const { choices } = await askAssistant(made.json.id);
    expect(choices[0].message.content).not.toContain(CANARY);
  });

  it('reaches the model after an import from LAMB, classic and multi-tool, and after the migration', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bw-material-'));
    mkdirSync(join(folder, 'public', '1'), { recursive: true });
    writeFileSync(join(folder, 'public', '1', 'notes.md'), CANARY);
    const owner = 'ana@uni.example';
    const file = { file_path: '1/notes.md' };
    const assistant = (id: number, metadata: object, prompt_template: string): LambRow => ({
      ...{ id, organization_id: 1, name: `1_a${id}`, owner, api_callback: metadata, prompt_template },
    });
    const database = join(folder, 'lamb.db');
    const openai = { enabled: true, api_key: 'sk-lamb', base_url: upstream.url, models: ['gpt-4o-mini'] };
    buildLambDatabase(database, {
      organizations: [
        {
          ...{ id: 1, slug: 'arts', name: 'Arts' },
          config: { version: '1.0', setups: { default: { is_default: true, providers: { openai } } } },
        },
      ],
      Creator_users: [{ id: 1, organization_id: 1, user_email: owner, user_name: 'Ana' }],
      organization_roles: [{ organization_id: 1, user_id: 1, role: 'owner' }],
      assistants: [
        assistant(1, { ...CLASSIC, rag_processor: 'single_file_rag', ...file }, '{context} {user_input}'),
        assistant(
          2,
          multiTool([{ plugin: 'single_file_rag', placeholder: '1_file', enabled: true, config: file }]),
          '',
        ),
      ],
    });
    const report = await app.get(LambImport).run(openLambSource(database), {
      ...{ files: join(folder, 'public'), dryRun: false, sourceName: 'lamb', organization: null, choices: NO_CHOICES },
      progress: { report: () => undefined },
      signal: new AbortController().signal,
    });
    rmSync(folder, { recursive: true, force: true });
    const ids = report.organizations.flatMap(({ assistants }) => assistants.flatMap(({ id }) => id ?? []));
    expect(ids).toHaveLength(2);
    const ana = await keyOf(app, owner, { organization: 'arts' });
    const seen: string[] = [];
    for (const id of ids) {
      await askAssistant(Number(id), ana);
      seen.push(asked());
    }
    const migrated = await app.api('POST', '/api/v1/admin/migrations', { org: 'arts' });
    expect(migrated.status).toBeLessThan(300);
    await until(async () => (await ana.api('GET', `/api/v1/assistants/${ids[0]}`)).json.type === 'multi_tool');
    await askAssistant(Number(ids[0]), ana);
    expect([...seen, asked()]).toEqual(Array(3).fill(expect.stringContaining(CANARY)));
  });
});
