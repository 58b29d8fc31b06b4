import { QuotaUsageService } from '../../src/metering';
import { filesForm, startApp, type TestApp } from '../support/app';
import { type Person, person } from '../support/people';

let app: TestApp;
let teacher: Person;
beforeAll(async () => {
  app = await startApp();
  teacher = await person(app);
});
afterAll(() => app.stop());

const rules = async (...list: readonly object[]): Promise<void> => {
  const answer = await app.api('PATCH', '/api/v1/organizations/default', { limits: { rules: list } });
  expect(answer.status).toBe(200);
};
const upload = (who: Pick<Person, 'api'>, name: string, bytes: number) =>
  who.api('POST', '/api/v1/files', filesForm([name, 'x'.repeat(bytes)]));

describe('a limit of storage', () => {
  it('counts files and documents of one person together, and refuses the upload as a whole', async () => {
    await rules({ id: 'room', for: { kind: 'person' }, limit: 'storage', amount: 1_000 });
    expect((await upload(teacher, 'a.md', 400)).status).toBe(201);
    const base = (await teacher.api('POST', '/api/v1/knowledge-bases', { name: 'Notes' })).json;
    const documents = `/api/v1/knowledge-bases/${base.id}/documents`;
    const add = (name: string, bytes: number) => teacher.api('POST', documents, filesForm([name, 'y'.repeat(bytes)]));
    expect((await add('b.md', 500)).status).toBeLessThan(300);
    const refused = await add('c.md', 200);
    expect(refused.json).toMatchObject({ status: 413, code: 'storage_limit_reached' });
    expect(refused.json.detail).toContain('"room"');
    expect((await teacher.api('GET', documents)).json.total).toBe(1);
    expect((await upload(teacher, 'd.md', 200)).json).toMatchObject({ code: 'storage_limit_reached' });
    expect((await upload(teacher, 'a.md', 450)).status).toBe(201);
    expect((await upload(await person(app), 'a.md', 900)).status).toBe(201);
  });

  it('counts the organization, and shows what is used', async () => {
    await rules({ id: 'all', for: { kind: 'organization' }, limit: 'storage', amount: 2_000 });
    expect((await upload(teacher, 'e.md', 200)).json).toMatchObject({ code: 'storage_limit_reached' });
    expect((await upload(teacher, 'e.md', 100)).status).toBe(201);
    const { id } = (await app.api('GET', '/api/v1/organizations/default')).json;
    const standings = await app.get(QuotaUsageService).of(id);
    expect(standings).toMatchObject([{ rule: { id: 'all' }, subject: 'organization', used: 1_950, amount: 2_000 }]);
  });

  it('holds for uploads at the same time', async () => {
    const late = await person(app);
    await rules({ id: 'room', for: { kind: 'person' }, limit: 'storage', amount: 1_000 });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => upload(late, `${n}.md`, 300)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 413)).toHaveLength(5);
  });
});
