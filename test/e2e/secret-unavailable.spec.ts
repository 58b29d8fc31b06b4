import { DataSource } from 'typeorm';
import { StreamsInFlight } from '../../src/answering';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant, user } from '../support/chat';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const ask = (id: number) => app.api('POST', `/api/v1/assistants/${id}/completions`, { messages: [user('Why?')] });

it('stops only the assistants that need a secret which cannot be opened, and leaves no run behind', async () => {
  const patch = (body: object) => app.api('PATCH', '/api/v1/organizations/default', body);
  await patch({
    providers: { openai: { api_key: 'sk-lost-with-its-key', base_url: 'https://models.example.edu/v1' } },
  });
  const lost = JSON.stringify(`v1:00000000:${'A'.repeat(80)}`);
  await app
    .get(DataSource)
    .query(`UPDATE organizations SET settings = jsonb_set(settings, '{providers,openai,api_key}', $1::jsonb)`, [lost]);
  await patch({ name: 'Read again' });
  const [bypass, openai] = [
    await makeAssistant(app, { metadata: { connector: 'bypass', llm: 'debug-bypass' } }),
    await makeAssistant(app, { metadata: { connector: 'openai', llm: 'gpt-4o-mini' } }),
  ];
  expect((await ask(bypass)).status).toBe(200);
  expect(await ask(openai)).toMatchObject({ status: 503, json: { code: 'secret_unavailable' } });
  expect(app.get(StreamsInFlight).size).toBe(0);
});
