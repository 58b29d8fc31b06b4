import { DataSource } from 'typeorm';
import { MemberChecklists } from '../../src/organizations';
import { withinOrganization } from '../../src/infrastructure/database';
import { filesForm, startApp, type TestApp } from '../support/app';
import { person, type Person } from '../support/people';
import { until } from '../support/until';

const PATH = '/api/v1/first-steps';

let app: TestApp;
beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const stepsOf = async (who: Person): Promise<string[] | null> => {
  const { steps } = (await who.api('GET', PATH)).json;
  return steps?.filter(({ done }: { done: boolean }) => done).map(({ name }: { name: string }) => name) ?? null;
};

describe('the checklist for a first assistant', () => {
  it('is made of facts, and goes when all of it is done', async () => {
    const who = await person(app, { role: 'teacher' });
    expect(await stepsOf(who)).toEqual([]);
    await who.api('PATCH', PATH, { quotations: true });
    expect(await stepsOf(who)).toEqual(['model']);
    await who.api('POST', '/api/v1/files', filesForm(['notes.txt', 'Ribosomes make proteins.']));
    expect(await stepsOf(who)).toEqual(['model', 'material']);
    const metadata = { connector: 'auto', prompt_processor: 'simple_augment', rag_processor: 'no_rag' };
    const { id } = (await who.api('POST', '/api/v1/assistants', { name: 'Tutor', metadata })).json;
    expect(await stepsOf(who)).toEqual(['model', 'material', 'assistant']);
    const messages = [{ role: 'user', content: 'What do ribosomes make?' }];
    expect((await who.api('POST', `/api/v1/assistants/${id}/completions`, { messages })).status).toBe(200);
    // The record follows the answer.
    await until(async () => (await stepsOf(who))?.includes('ask'));
    expect((await who.api('PUT', `/api/v1/assistants/${id}/publication`)).status).toBe(200);
    expect(await stepsOf(who)).toBeNull();
    await who.api('DELETE', `/api/v1/assistants/${id}`);
    expect(await stepsOf(who)).toBeNull();
  });

  it('counts what the person made, not the demo that the service made in their name', async () => {
    const who = await person(app, { role: 'teacher' });
    await who.api('POST', '/api/v1/files', filesForm(['demo.txt', 'Made by the service.']));
    await who.api('POST', '/api/v1/assistants', { name: 'Demo', metadata: {} });
    expect(await stepsOf(who)).toEqual(['material', 'assistant']);
    const [member] = await app
      .get(DataSource)
      .query('SELECT organization_id FROM members WHERE user_id = $1', [who.userId]);
    const principal = { organizationId: member.organization_id, userId: who.userId };
    const since = new Date().toISOString();
    await withinOrganization(principal.organizationId, () => app.get(MemberChecklists).answer(principal, { since }));
    expect(await stepsOf(who)).toEqual([]);
    await who.api('POST', '/api/v1/files', filesForm(['own.txt', 'Made by the person.']));
    expect(await stepsOf(who)).toEqual(['material']);
  });

  it('goes when it is dismissed, for this person only', async () => {
    const [one, other] = [await person(app), await person(app)];
    expect((await one.api('PATCH', PATH, { closed: true })).status).toBe(204);
    expect(await stepsOf(one)).toBeNull();
    expect(await stepsOf(other)).toEqual([]);
  });

  it('is not for students', async () => {
    const student = await person(app, { role: 'member' });
    expect((await student.api('GET', PATH)).json).toMatchObject({ steps: null });
  });

  it('names the administrators to teachers while no model is connected', async () => {
    await person(app, { role: 'admin' });
    const teacher = await person(app, { role: 'teacher' });
    const before = (await teacher.api('GET', PATH)).json;
    expect(before.model_connected).toBe(false);
    expect(before.administrators.length).toBeGreaterThan(0);
    expect((await app.api('GET', PATH)).json.administrators).toEqual([]);
    const providers = { openai: { api_key: 'sk-canary-first-steps', models: ['gpt-4o-mini'] } };
    await app.api('PATCH', '/api/v1/organizations/default', { providers });
    expect((await teacher.api('GET', PATH)).json).toMatchObject({ model_connected: true, administrators: [] });
    expect(await stepsOf(teacher)).toEqual(['model']);
  });

  it('takes nothing else', async () => {
    const { api } = await person(app);
    expect((await api('PATCH', PATH, { closed: false })).status).toBe(400);
  });
});
