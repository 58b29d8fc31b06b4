import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { filesForm, startApp, type TestApp } from '../support/app';
import { modelFolder } from '../support/model-folder';
import { type Person, person } from '../support/people';
import { until } from '../support/until';

const KNOWLEDGE_BASES = '/api/v1/knowledge-bases';
const CELLS = `# Osmosis

Osmosis moves water through the membrane of a cell.

# Lysosomes

Lysosomes digest proteins with enzymes.
`;

let app: TestApp;
let models: string;
let teacher: Person;
let students: Person[];
let base: string;
let assistant: number;

beforeAll(async () => {
  models = mkdtempSync(join(tmpdir(), 'bellwether-models-'));
  app = await startApp({ env: { EMBEDDING_FOLDER: modelFolder(join(models, 'tiny')) } });
  teacher = await person(app);
  students = [];
  for (let count = 0; count < 5; count++) students.push(await person(app, { role: 'member' }));
  base = (await teacher.api('POST', KNOWLEDGE_BASES, { name: 'Biology', language: 'en' })).json.id;
  await teacher.api('POST', `${KNOWLEDGE_BASES}/${base}/documents`, filesForm(['cells.md', CELLS]));
  await until(async () => (await teacher.api('GET', `${KNOWLEDGE_BASES}/${base}`)).json.chunk_count > 0, 20_000);
  const tools = [
    { plugin: 'simple_rag', placeholder: '1_context', enabled: true, config: { collections: [base], top_k: 1 } },
  ];
  const metadata = { assistant_type: 'multi_tool', orchestrator: 'sequential', connector: 'auto', tools };
  const made = { name: 'Cells', prompt_template: '{1_context}\n\n{user_input}', metadata };
  assistant = (await teacher.api('POST', '/api/v1/assistants', made)).json.id;
  await teacher.api('PUT', `/api/v1/assistants/${assistant}/publication`, {});
});
afterAll(async () => {
  await app.stop();
  rmSync(models, { recursive: true });
});

async function ask(who: Person, question: string): Promise<string> {
  const body = { model: `lamb_assistant.${assistant}`, messages: [{ role: 'user', content: question }] };
  return (await who.api('POST', '/v1/chat/completions', body)).json.run_id;
}

const read = (query = '', who = teacher) => who.api('GET', `/api/v1/assistants/${assistant}/insights${query}`);
const insights = async (query = ''): Promise<any> => (await read(query)).json;
const nameOf = ({ email }: Person): string => email.replace(/^p(erson)-(\d+)@.*$/, 'P$1 $2');
const sql = (text: string, parameters: unknown[]) => app.get(DataSource).query(text, parameters);

describe('what the class asks', () => {
  it('tells nothing about four people, and counts no editor', async () => {
    for (const student of students.slice(0, 4)) await ask(student, 'What is osmosis?');
    await ask(teacher, 'What is osmosis?');
    const { status, json } = await read();
    expect(status).toBe(200);
    expect(json).toMatchObject({ enough: false, least_people: 5, questions: null, people: null, speed: null });
    const lists = [json.days, json.hours, json.missed, json.groups, json.unused, json.fixes.knowledge_bases];
    expect(lists).toEqual([[], [], [], [], [], []]);
  });

  it('tells figures and similar questions of five people', async () => {
    await ask(students[4]!, 'Osmosis: what is it?');
    const told = await insights();
    expect(told).toMatchObject({ enough: true, questions: 5, people: 5, capped: false, deleted_questions: 0 });
    expect(told.days).toHaveLength(30);
    expect(told.days.at(-1)).toEqual({ date: told.to, questions: 5 });
    expect(told.hours.map(({ questions }: any) => questions)).toEqual(expect.arrayContaining([0]));
    expect(told.speed.answer_p50_ms).toEqual(expect.any(Number));
    expect(told.material).toEqual({ searched: 5, nothing: 0, weak: 0, good: 5 });
    expect(told.groups).toEqual([
      { words: ['osmosis'], question: 'What is osmosis?', questions: 5, people: 5, missed: 0, up: 0, down: 0 },
    ]);
    expect(told).toMatchObject({ grouped_by: 'words', missed: [], ratings: null, hidden: { groups: 0, questions: 0 } });
  });

  it('shows the passages that no answer got, until one gets them', async () => {
    const place = { id: base, name: 'Biology', editable: true };
    const before = await insights();
    expect(before.fixes).toEqual({ knowledge_bases: [place] });
    const never = [{ section: 'Lysosomes', page_text: null }];
    expect(before.unused).toEqual([
      { knowledge_base: place, documents: [{ id: expect.any(String), title: 'cells.md', parts: 2, found: 1, never }] },
    ]);
    await ask(students[0]!, 'What do lysosomes digest?');
    expect((await insights()).unused).toEqual([]);
  });

  it('hides the group of one person', async () => {
    const { groups, hidden, questions } = await insights();
    expect(groups).toHaveLength(1);
    expect({ hidden, questions }).toEqual({ hidden: { groups: null, questions: null }, questions: 6 });
  });

  it('counts a student with whom the right to edit is shared', async () => {
    const before = await insights();
    const share = (shares: object[]) => teacher.api('PUT', `/api/v1/assistants/${assistant}/shares`, { shares });
    expect((await share([{ user_id: students[0]!.userId, access: 'edit' }])).status).toBe(200);
    expect(await insights()).toEqual(before);
    await share([]);
  });

  it('shows the questions that found little, without the name of the person who asked', async () => {
    for (const student of students) await ask(student, `I am ${nameOf(student)}. Which water polo team won the final?`);
    const { missed, material, groups } = await insights();
    expect(missed).toEqual([{ question: 'I am …. Which water polo team won the final?', times: 5, found: 'weak' }]);
    expect(material).toMatchObject({ searched: 11, weak: 5 });
    expect(groups).toContainEqual(expect.objectContaining({ questions: 5, people: 5, missed: 5 }));
  });

  it('tells ratings of five people with their reasons, and nobody’s address', async () => {
    for (const student of students) {
      const rating = { value: 'down', reason: `Mail ${student.email}` };
      const run = await ask(student, 'What is osmosis?');
      expect((await student.api('PUT', `/api/v1/runs/${run}/rating`, rating)).status).toBeLessThan(300);
    }
    const told = await insights();
    expect(told.ratings).toEqual({ up: 0, down: 5, reasons: Array(5).fill({ value: 'down', reason: 'Mail …' }) });
    const ids = students.flatMap(({ userId, email }) => [userId, email]);
    for (const secret of ids) expect(JSON.stringify(told)).not.toContain(secret);
  });

  it('groups by meaning where there is an embedding model', async () => {
    const told = await insights('?group_by=meaning');
    expect(told).toMatchObject({ grouped_by: 'meaning', groupings: ['words', 'meaning'] });
    expect(told.groups.map(({ people }: any) => people)).toContain(5);
  });

  it('reads a classic assistant with named collections, and tells an editor no material of others', async () => {
    const { slug } = (await teacher.api('GET', `${KNOWLEDGE_BASES}/${base}`)).json;
    const made = { name: 'Classic', RAG_collections: [slug], metadata: { rag_processor: 'simple_rag' } };
    const { id } = (await teacher.api('POST', '/api/v1/assistants', made)).json;
    await sql(`UPDATE runs SET assistant_id = $1 WHERE assistant_id = $2`, [id, assistant]);
    const editor = await person(app);
    await teacher.api('PUT', `/api/v1/assistants/${id}/shares`, { shares: [{ email: editor.email, access: 'edit' }] });
    const told = async (who: Person): Promise<any> => (await who.api('GET', `/api/v1/assistants/${id}/insights`)).json;
    expect((await told(teacher)).fixes.knowledge_bases).toMatchObject([{ id: base }]);
    expect(await told(editor)).toMatchObject({ enough: true, unused: [], fixes: { knowledge_bases: [] } });
    await sql(`UPDATE runs SET assistant_id = $2 WHERE assistant_id = $1`, [id, assistant]);
  });

  it('leaves out drafts, replays and nested runs, and counts questions without words', async () => {
    const { questions } = await insights();
    const rows = await sql(`SELECT id FROM runs WHERE assistant_id = $1 AND user_id = $2 ORDER BY id DESC LIMIT 3`, [
      assistant,
      students[0]!.userId,
    ]);
    const [draft, replay, nested] = rows.map(({ id }: any) => id);
    await sql(`UPDATE runs SET draft = true WHERE id = $1`, [draft]);
    await sql(`UPDATE runs SET replay = '{}' WHERE id = $1`, [replay]);
    await sql(`UPDATE runs SET parent_run_id = $2 WHERE id = $1`, [nested, draft]);
    expect((await insights()).questions).toBe(questions - 3);
    await sql(`UPDATE runs SET question = NULL WHERE assistant_id = $1`, [assistant]);
    expect(await insights()).toMatchObject({ deleted_questions: questions - 3, groups: [], missed: [] });
  });

  it('is for people who may edit the assistant, and audited once', async () => {
    expect((await read('', await person(app, { role: 'teacher' }))).status).toBe(403);
    await teacher.api('DELETE', `/api/v1/assistants/${assistant}/publication`);
    expect((await read('', await person(app, { role: 'teacher' }))).status).toBe(404);
    expect((await read('', students[0])).status).toBe(403);
    const { items } = (await app.api('GET', '/api/v1/organizations/default/audit?action=assistant.insights_read')).json;
    const own = items.filter(({ target }: any) => target.type === 'assistant' && target.id === `${assistant}`);
    expect(own.map(({ actor }: any) => actor.user_id)).toEqual([teacher.userId]);
  });

  it('names every wrong parameter', async () => {
    const { status, json } = await read('?days=0&time_zone=Mars/Phobos&group_by=colour');
    expect(status).toBe(400);
    expect(json.errors.map(({ path }: any) => path)).toEqual(['days', 'time_zone', 'group_by']);
  });
});
