import { startApp, type TestApp } from '../support/app';
import { foreignOrganization, type Person, person } from '../support/people';
import { RubricsService } from '../../src/rubrics';

let app: TestApp;
let teacher: Person;
let colleague: Person;
let foreigner: Person;

beforeAll(async () => {
  app = await startApp();
  teacher = await person(app);
  colleague = await person(app);
  foreigner = await person(app, { organization: await foreignOrganization(app) });
});
afterAll(() => app.stop());

const path = '/api/v1/rubrics';
const level = (score: number, label: string) => ({ id: `l${score}`, score, label, description: `${label} work` });
const essay = (changes: Record<string, unknown> = {}) => ({
  rubricId: 'essay-rubric-0001',
  title: 'Essay',
  description: 'For short essays',
  metadata: { createdAt: '2026-01-01T00:00:00Z', modifiedAt: '2026-01-01T00:00:00Z', subject: 'History' },
  scoringType: 'points',
  maxScore: 10,
  criteria: [
    { id: 'c1', name: 'Thesis', description: 'Clarity', weight: 60, levels: [level(1, 'Weak'), level(4, 'Strong')] },
    { id: 'c2', name: 'Style', description: 'Prose', weight: 40, levels: [level(1, 'Weak'), level(4, 'Strong')] },
  ],
  'x-own': { kept: [1, 2, { z: 1, a: 2 }] },
  ...changes,
});
const create = async (who: Person, body: object = essay()): Promise<any> => {
  const answer = await who.api('POST', path, body);
  expect(answer.status).toBe(201);
  return answer.json;
};

it('keeps the document as given, unknown members and their order included', async () => {
  const { id } = await create(teacher);
  const exported = await teacher.api('GET', `${path}/${id}/export`);
  expect(exported.text).toBe(JSON.stringify(essay()));
  expect(exported.headers.get('content-disposition')).toContain('attachment; filename="Essay.json"');
  const read = await teacher.api('GET', `${path}/${id}`);
  expect(read.json).toMatchObject({ ...essay(), id, owner: teacher.userId, visibility: 'private', access: 'owner' });
});

it('copies and exports titles that would be cut inside a character', async () => {
  for (const cut of [100, 480]) {
    const { id } = await create(teacher, essay({ title: `${'a'.repeat(cut - 1)}😀 and more` }));
    expect((await teacher.api('GET', `${path}/${id}/export`)).status).toBe(200);
    expect((await teacher.api('POST', `${path}/${id}/duplicate`)).status).toBe(201);
  }
});

it('refuses a bad document with every problem and its path', async () => {
  const bad = essay({
    rubricId: 'short',
    scoringType: 'stars',
    maxScore: 0,
    metadata: {},
    criteria: [
      { id: 'c1', name: '', description: 'x', weight: -1, levels: [level(1, 'One')] },
      {
        id: 'c1',
        name: 'n',
        description: 'x',
        weight: 1,
        levels: [level(1, 'One'), { id: 'l1', score: 'x', label: 1 }],
      },
    ],
    owner: 'me',
  });
  const { status, json } = await teacher.api('POST', path, bad);
  expect(status).toBe(400);
  expect(json.errors.map((problem: { path: string }) => problem.path).sort()).toEqual([
    'criteria[0].levels',
    'criteria[0].name',
    'criteria[0].weight',
    'criteria[1].id',
    'criteria[1].levels[1].description',
    'criteria[1].levels[1].id',
    'criteria[1].levels[1].label',
    'criteria[1].levels[1].score',
    'maxScore',
    'metadata.createdAt',
    'metadata.modifiedAt',
    'owner',
    'rubricId',
    'scoringType',
  ]);
  for (const body of [[], 'text']) expect((await teacher.api('POST', path, body)).status).toBe(400);
});

it('changes whole or in part, and the whole must stay a rubric', async () => {
  const { id } = await create(teacher);
  expect((await teacher.api('PATCH', `${path}/${id}`, { title: 'Essay 2' })).json.title).toBe('Essay 2');
  expect((await teacher.api('PATCH', `${path}/${id}`, { criteria: [] })).status).toBe(400);
  expect((await teacher.api('PUT', `${path}/${id}`, essay({ title: 'Essay 3' }))).json.title).toBe('Essay 3');
  expect((await teacher.api('DELETE', `${path}/${id}`)).status).toBe(204);
  expect((await teacher.api('GET', `${path}/${id}`)).status).toBe(404);
});

it('a rubric is private until shown to the organization, and never changed by others', async () => {
  const { id } = await create(teacher);
  expect((await colleague.api('GET', `${path}/${id}`)).status).toBe(404);
  await teacher.api('PUT', `${path}/${id}/visibility`, { visibility: 'organization' });
  expect((await colleague.api('GET', `${path}/${id}`)).json.access).toBe('read');
  expect((await colleague.api('PUT', `${path}/${id}`, essay())).status).toBe(403);
  expect((await colleague.api('DELETE', `${path}/${id}`)).status).toBe(403);
  expect((await colleague.api('PUT', `${path}/${id}/visibility`, { visibility: 'private' })).status).toBe(403);
  for (const suffix of ['', '/export', '/render']) {
    expect((await foreigner.api('GET', `${path}/${id}${suffix}`)).status).toBe(404);
  }
  expect((await foreigner.api('POST', `${path}/${id}/duplicate`)).status).toBe(404);
});

it('duplicates into the own private space and imports what was exported', async () => {
  const { id } = await create(teacher);
  await teacher.api('PUT', `${path}/${id}/visibility`, { visibility: 'organization' });
  const copy = await colleague.api('POST', `${path}/${id}/duplicate`);
  expect(copy.json).toMatchObject({ owner: colleague.userId, visibility: 'private', title: 'Essay (copy)' });
  expect(copy.json.rubricId).not.toBe(essay().rubricId);
  const exported = (await teacher.api('GET', `${path}/${id}/export`)).json;
  expect((await colleague.api('POST', `${path}/import`, { rubric: exported })).status).toBe(201);
  expect((await colleague.api('GET', `${path}?owner=me&q=ESSAY`)).json.total).toBe(2);
});

it('renders as Markdown and JSON', async () => {
  const { id } = await create(teacher);
  const markdown = await teacher.api('GET', `${path}/${id}/render`);
  expect(markdown.headers.get('content-type')).toContain('text/markdown');
  expect(markdown.text).toMatch(/^# Essay\n\nFor short essays\n/);
  const json = await teacher.api('GET', `${path}/${id}/render?format=json`);
  expect(json.json).toMatchObject({
    rubric: essay(),
    scoring: { max_score: 10, criteria: [{ share: 0.6 }, { share: 0.4 }] },
  });
  const evaluation = await teacher.api('GET', `${path}/${id}/render?for_evaluation=true`);
  expect([evaluation.text.includes('## Your answer'), markdown.text.includes('## Your answer')]).toEqual([true, false]);
  expect((await teacher.api('GET', `${path}/${id}/render?for_evaluation=maybe`)).status).toBe(400);
  expect((await teacher.api('GET', `${path}/${id}/render?format=pdf`)).status).toBe(400);
});

it('reaches prompts by id, by the integer of where it came from, and by its own rubricId when that is unambiguous', async () => {
  const rubrics = app.get(RubricsService);
  const me = await create(teacher, essay({ rubricId: 'unique-rubric-77', title: 'Mine' }));
  const organizationId: string = (await teacher.api('GET', '/api/v1/me')).json.organization.id;
  const owner = { organizationId, userId: teacher.userId };
  for (const ref of [me.id, 'unique-rubric-77']) {
    expect((await rubrics.forPrompt(owner, ref, 'markdown')).source).toEqual({
      type: 'rubric',
      rubric_id: me.id,
      title: 'Mine',
      format: 'markdown',
    });
  }
  await expect(rubrics.forPrompt(owner, 12, 'markdown')).rejects.toMatchObject({ code: 'not_found' });
  expect(await rubrics.exists({ organizationId, userId: colleague.userId }, me.id)).toBe(false);
});
