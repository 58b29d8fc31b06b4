import { DataSource } from 'typeorm';
import { startApp, type TestApp } from '../support/app';
import { type Person, person } from '../support/people';

let app: TestApp;
let teacher: Person;
let student: Person;
let assistant: number;

const RUNS = '/api/v1/runs';

/** 20,000 runs of the next minutes beside the run `$1`. */
const LATER_RUNS = `
  INSERT INTO runs (id, organization_id, user_id, assistant_id, assistant_name, assistant_type, stream, status, created_at,
                    tools, sources, events, question)
  SELECT (substr(id::text, 1, 8) || '-ffff-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, organization_id, user_id,
         assistant_id, assistant_name, assistant_type, stream, status, created_at, '[]', '[]', '[]', 'Something else'
  FROM runs CROSS JOIN generate_series(1, 20000) n WHERE id = $1`;

beforeAll(async () => {
  app = await startApp();
  teacher = await person(app);
  student = await person(app, { role: 'member' });
  const metadata = {
    assistant_type: 'multi_tool',
    orchestrator: 'sequential',
    connector: 'auto',
    tools: [{ plugin: 'rubric_rag', placeholder: '1_rubric', enabled: true, config: { rubric_id: null } }],
  };
  const made = { name: 'Cells', prompt_template: '{1_rubric}\n\n{user_input}', metadata };
  assistant = (await teacher.api('POST', '/api/v1/assistants', made)).json.id;
  const shares = [{ email: student.email, access: 'use' }];
  expect((await teacher.api('PUT', `/api/v1/assistants/${assistant}/shares`, { shares })).status).toBe(200);
});
afterAll(() => app.stop());

async function ask(who: Person, content: string, id = assistant): Promise<string> {
  const body = { model: `lamb_assistant.${id}`, messages: [{ role: 'user', content }] };
  return (await who.api('POST', '/v1/chat/completions', body)).json.run_id;
}

const idsOf = async (who: Person, query: string): Promise<string[]> =>
  (await who.api('GET', `${RUNS}?${query}`)).json.items.map(({ id }: { id: string }) => id);

describe('the list of runs', () => {
  it('tells what was asked, by whom, with which version, and what failed', async () => {
    const id = await ask(student, `What is\n\nosmosis? ${'x'.repeat(200)}`);
    const [run] = (await teacher.api('GET', `${RUNS}?assistant_id=${assistant}`)).json.items;
    expect(run).toMatchObject({
      id,
      status: 'completed',
      problems: 1,
      assistant_version: 1,
      cost_micros: 0,
      person: { user_id: student.userId, pseudonym: null },
      question: expect.stringMatching(/^What is osmosis\? x{103}\.\.\.$/),
    });
    expect(run.person.name).not.toBe('');
  });

  it('is filtered by question, person, time and problems', async () => {
    const before = new Date().toISOString();
    const mine = await ask(teacher, 'Is 50_% of it water?');
    const theirs = await ask(student, 'Something else');
    expect(await idsOf(teacher, `q=${encodeURIComponent('50_%')}`)).toEqual([mine]);
    expect(await idsOf(teacher, `user_id=${student.userId}&from=${before}`)).toEqual([theirs]);
    expect(await idsOf(teacher, `from=${before}`)).toEqual([theirs, mine]);
    expect(await idsOf(teacher, `to=${before}`)).not.toContain(mine);
    expect(await idsOf(teacher, `from=${before}&problems=true`)).toEqual([theirs, mine]);
    expect(await idsOf(teacher, 'problems=false')).toEqual([]);
    expect(await idsOf(student, '')).not.toContain(mine);
    expect((await teacher.api('GET', `${RUNS}?from=yesterday&problems=some`)).status).toBe(400);
    expect((await teacher.api('GET', `${RUNS}?cursor=abc`)).json.errors).toMatchObject([{ path: 'cursor' }]);
  });

  it('is audited where it shows questions of others, without the words of a search', async () => {
    await ask(student, 'Do roots breathe?');
    await idsOf(teacher, 'q=roots');
    await idsOf(teacher, 'q=roots');
    await idsOf(student, 'q=roots');
    const { items } = (await app.api('GET', '/api/v1/organizations/default/audit?action=run.questions_read')).json;
    const searches = items.filter(({ after }: { after: { searched: boolean } }) => after.searched);
    expect(searches.map(({ actor }: any) => actor.user_id)).toEqual([teacher.userId]);
    expect(JSON.stringify(items)).not.toContain('roots');
  });

  it('tells members no costs', async () => {
    const id = await ask(student, 'What does this cost?');
    expect((await student.api('GET', `${RUNS}/${id}`)).json.cost_micros).toBeNull();
    expect((await teacher.api('GET', `${RUNS}/${id}`)).json.cost_micros).toBe(0);
  });

  it('shows pseudonyms where the organization asks for them', async () => {
    const id = await ask(student, 'Who am I?');
    const changes = { privacy: { usage_people: 'pseudonymous' } };
    expect((await app.api('PATCH', '/api/v1/organizations/default', changes)).status).toBe(200);
    const { json } = await teacher.api('GET', `${RUNS}/${id}`);
    expect(json).toMatchObject({ user_id: null, credential_id: null });
    expect(json.person).toEqual({ user_id: null, name: null, pseudonym: expect.stringMatching(/^[0-9a-f]{12}$/) });
    expect(await idsOf(teacher, `user_id=${student.userId}`)).toEqual([]);
    expect((await student.api('GET', `${RUNS}/${id}`)).json.person.user_id).toBe(student.userId);
  });

  it('is searched 20,000 runs a page, and says how far back', async () => {
    const wanted = await ask(teacher, 'Where does chlorophyll sit?');
    const colleague = await person(app);
    const own = { name: 'Leaves', prompt_template: '{user_input}', metadata: { connector: 'auto' } };
    const leaves = (await colleague.api('POST', '/api/v1/assistants', own)).json.id;
    await ask(colleague, 'Why do they fall?', leaves);
    // Also waits until the run is in the table.
    expect(await idsOf(teacher, 'q=chlorophyll')).toEqual([wanted]);
    await app.get(DataSource).query(LATER_RUNS, [wanted]);
    const first = (await teacher.api('GET', `${RUNS}?q=chlorophyll`)).json;
    expect(first).toMatchObject({ items: [], total: 0, looked_back_to: expect.any(String) });
    const next = (await teacher.api('GET', `${RUNS}?q=chlorophyll&cursor=${first.next_cursor}`)).json;
    expect(next).toMatchObject({ items: [{ id: wanted }], total: 1, next_cursor: null, looked_back_to: null });
    // Runs that somebody may not see are not counted.
    const elsewhere = (await colleague.api('GET', `${RUNS}?q=fall`)).json;
    expect(elsewhere).toMatchObject({ total: 1, next_cursor: null, looked_back_to: null });
    const others = (await teacher.api('GET', `${RUNS}?q=something&limit=5`)).json;
    expect(others).toMatchObject({ total: 1001, looked_back_to: null });
  });
});
