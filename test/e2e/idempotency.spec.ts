import { startApp, type TestApp } from '../support/app';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const post = (body: unknown, key: string) =>
  app.api('POST', '/api/v1/organizations', body, { 'idempotency-key': key, 'x-api-key': app.adminKey });

describe('Idempotency-Key on a route of the house API', () => {
  it('answers 422 for another body and leaves the key free after a refusal', async () => {
    expect((await post({ slug: 'BAD' }, 'reused')).status).toBe(400);
    expect((await post({ slug: 'good', name: 'Good' }, 'reused')).status).toBe(201);
    const other = await post({ slug: 'other', name: 'Other' }, 'reused');
    expect([other.status, other.json.code]).toEqual([422, 'idempotency_mismatch']);
  });
});
