import { filesForm, startApp, type TestApp } from '../support/app';
import { foreignOrganization, type Person, person } from '../support/people';
import { readEvents } from '../support/run-events';
import { until } from '../support/until';

const KNOWLEDGE_BASES = '/api/v1/knowledge-bases';
const TEXT = 'Water moves through the membrane. This is called osmosis.';

let app: TestApp;
let teacher: Person;
let student: Person;
let base: string;
let assistant: number;

beforeAll(async () => {
  app = await startApp();
  teacher = await person(app);
  student = await person(app, { role: 'member' });
  base = (await teacher.api('POST', KNOWLEDGE_BASES, { name: 'Biology' })).json.id;
  await teacher.api(
    'POST',
    `${KNOWLEDGE_BASES}/${base}/documents`,
    filesForm(['osmosis.md', `# Osmosis\n\n${TEXT}\n`]),
  );
  await until(async () => (await teacher.api('GET', `${KNOWLEDGE_BASES}/${base}`)).json.chunk_count > 0, 20_000);
  const config = { collections: [base], sources_in_prompt: 'numbered' };
  const tools = [{ plugin: 'simple_rag', placeholder: '1_context', enabled: true, config }];
  const metadata = { assistant_type: 'multi_tool', orchestrator: 'sequential', connector: 'auto', tools };
  const made = { name: 'Cells', prompt_template: '{1_context}\n\n{user_input}', metadata };
  assistant = (await teacher.api('POST', '/api/v1/assistants', made)).json.id;
  await teacher.api('PUT', `/api/v1/assistants/${assistant}/publication`, {});
});
afterAll(() => app.stop());

async function asked(who: Person): Promise<{ readonly run: string; readonly answer: string }> {
  const body = { model: `lamb_assistant.${assistant}`, messages: [{ role: 'user', content: 'What is osmosis?' }] };
  const { json } = await who.api('POST', '/v1/chat/completions', body);
  return { run: json.run_id, answer: json.choices[0].message.content };
}

const passagesOf = async (who: Person, run: string) => who.api('GET', `/api/v1/runs/${run}/passages`);

const show = (passages_shown: boolean) => teacher.api('PATCH', `${KNOWLEDGE_BASES}/${base}`, { passages_shown });

describe('the passages of a run', () => {
  it('are the texts behind the numbers of the answer, for the person who asked', async () => {
    const { run, answer } = await asked(student);
    expect(answer).toContain('This is called osmosis. [1]');
    const { status, json } = await passagesOf(student, run);
    expect([status, json.items]).toEqual([
      200,
      [
        {
          n: 1,
          title: 'Osmosis',
          text: expect.stringContaining(TEXT),
          source: expect.objectContaining({ n: 1, type: 'knowledge_base', document: 'osmosis.md' }),
        },
      ],
    ]);
    const { results } = (await teacher.api('GET', `/api/v1/runs/${run}/report`)).json;
    expect(results).toMatchObject([{ placeholder: '1_context', source_numbers: [1] }]);
  });

  it('are kept from readers when the owner of the knowledge base hides them', async () => {
    const { run } = await asked(student);
    await show(false);
    expect((await passagesOf(student, run)).json.items).toEqual([]);
    expect((await passagesOf(teacher, run)).json.items).toHaveLength(1);
    await show(true);
    expect((await passagesOf(student, run)).json.items).toHaveLength(1);
  });

  it('are hidden with the link to their document, where it was opened before as well', async () => {
    const conversation = (await student.api('POST', '/api/v1/conversations', { assistant_id: assistant })).json.id;
    const question = { content: 'What is osmosis?' };
    const { answer } = (await student.api('POST', `/api/v1/conversations/${conversation}/messages`, question)).json;
    const as = { authorization: `Bearer ${student.key}` };
    const followed = async () => {
      const { frames } = await readEvents(app, `${answer.run_id}/events`, as);
      return frames.find(({ event }) => event === 'sources')?.data.sources[0];
    };
    const read = async () =>
      (await student.api('GET', `/api/v1/conversations/${conversation}`)).json.messages[1].sources[0];
    const ofRun = async () => (await student.api('GET', `/api/v1/runs/${answer.run_id}`)).json.sources[0];
    const { url } = await followed();
    const open = () => fetch(app.url + url);
    expect((await open()).headers.get('content-disposition')).toMatch(/^inline/);
    await show(false);
    expect((await open()).status).toBe(404);
    for (const source of [await followed(), await read(), await ofRun()]) {
      expect(source).toMatchObject({ n: 1, document: 'osmosis.md' });
      expect(source).not.toHaveProperty('url');
    }
    await show(true);
    expect((await open()).status).toBe(200);
    expect((await read()).url).toContain('/api/v1/sources?link=');
  });

  it('come with nothing for authors in anything that the chat of a student asks for', async () => {
    const card = await student.api('GET', `/api/v1/assistants/${assistant}/chat`);
    const conversation = await student.api('POST', '/api/v1/conversations', { assistant_id: assistant });
    const path = `/api/v1/conversations/${conversation.json.id}`;
    const asked = await student.api('POST', `${path}/messages`, { content: 'What is osmosis?' });
    const run = asked.json.answer.run_id;
    const events = await readEvents(app, `${run}/events`, { authorization: `Bearer ${student.key}` });
    expect(events.types).toEqual(expect.arrayContaining(['tool.completed', 'llm.started', 'sources', 'usage']));
    const told = [card, conversation, asked, await student.api('GET', path), await passagesOf(student, run)];
    const machinery = /simple_rag|1_context|sequential|_tokens|similarity|confidence|"chars"|"model"|quotes/;
    for (const text of [events.raw, ...told.map((answer) => answer.text)]) expect(text).not.toMatch(machinery);
    const editor = await readEvents(app, `${run}/events`, { authorization: `Bearer ${teacher.key}` });
    expect(editor.raw).toMatch(machinery);
  });

  it('are nobody else’s', async () => {
    const { run } = await asked(student);
    const other = await person(app, { role: 'member' });
    const foreigner = await person(app, { organization: await foreignOrganization(app), role: 'owner' });
    for (const stranger of [other, foreigner]) expect((await passagesOf(stranger, run)).status).toBe(404);
    expect((await passagesOf(teacher, '01900000-0000-7000-8000-000000000000')).status).toBe(404);
  });

  it('go with their knowledge base', async () => {
    const { run } = await asked(student);
    await teacher.api('DELETE', `${KNOWLEDGE_BASES}/${base}`);
    expect((await passagesOf(student, run)).json.items).toEqual([]);
  });
});
