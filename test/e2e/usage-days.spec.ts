import { DataSource } from 'typeorm';
import { UsageBuffer } from '../../src/metering';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant, streamed, user } from '../support/chat';
import { person } from '../support/people';
import { startUpstream, type Upstream } from '../support/upstream';
import { until } from '../support/until';

let app: TestApp;
let upstream: Upstream;
let id: number;

beforeAll(async () => {
  upstream = await startUpstream();
  app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-usage-1' } });
  id = await makeAssistant(app);
});
beforeEach(() => app.get(DataSource).query('DELETE FROM usage_days'));
afterEach(() => upstream.reset());
afterAll(async () => {
  await app.stop();
  await upstream.stop();
});

const settings = (patch: object) => app.api('PATCH', '/api/v1/organizations/default', patch);
const ask = () => app.api('POST', '/v1/chat/completions', { model: `lamb_assistant.${id}`, messages: [user('Hi')] });
const rows = async (): Promise<Record<string, unknown>[]> => {
  await app.get(UsageBuffer).flush();
  return app.get(DataSource).query('SELECT * FROM usage_days ORDER BY provider, model');
};

describe('usage of a day', () => {
  it('adds up the runs of one assistant, model and key, with their cost', async () => {
    const from = '2020-01-01';
    const price = { provider: 'openai', model: 'gpt-4o-mini', from, input: 2, output: 10, cached_input: 1 };
    const older = { ...price, from: '2019-01-01', input: 900 };
    expect((await settings({ prices: { currency: 'EUR', models: [older, price] } })).status).toBe(200);
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
    upstream.expect({ content: 'Yes.', usage }, { times: 2 });
    expect((await ask()).status).toBe(200);
    expect(
      (await streamed(app, '/v1/chat/completions', { model: `lamb_assistant.${id}`, messages: [user('?')] })).text,
    ).toBe('Yes.');
    const [row, ...others] = await rows();
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      assistant_id: id,
      assistant_name: 'Tutor',
      caller_organization_id: null,
      provider: 'openai',
      model: 'gpt-4o-mini',
      runs: 2,
      failed: 0,
      model_calls: 2,
      estimated_calls: 0,
      prompt_tokens: '200',
      completion_tokens: '40',
      cached_tokens: '0',
      cost_micros: String(200 * 2 + 40 * 10),
    });
    expect(row?.['credential_id']).toEqual(expect.any(String));
    upstream.verify();
  });

  it('estimates the tokens of an aborted stream from what was received', async () => {
    upstream.expect({ content: 'word '.repeat(20_000), delayMs: 20 });
    const gone = new AbortController();
    const answer = await fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ stream: true, model: `lamb_assistant.${id}`, messages: [user('Hi')] }),
      signal: gone.signal,
    });
    const reader = answer.body?.getReader();
    for (let text = ''; !text.includes('word');) text += Buffer.from((await reader?.read())?.value ?? []).toString();
    gone.abort();
    const row = await until(async () => (await rows())[0]);
    expect(row).toMatchObject({ runs: 1, failed: 1, model_calls: 1, estimated_calls: 1 });
    expect(Number(row['prompt_tokens'])).toBeGreaterThan(5);
    expect(Number(row['completion_tokens'])).toBeGreaterThan(0);
    expect(Number(row['completion_tokens'])).toBeLessThan(20_000);
  });

  it('counts a run that the vendor refused without tokens', async () => {
    upstream.expect({ fault: 'unauthorized' });
    expect((await ask()).status).toBe(502);
    expect(await rows()).toMatchObject([{ runs: 1, failed: 1, model_calls: 1, prompt_tokens: '0', cost_micros: '0' }]);
  });
});

describe('rules and prices in the settings', () => {
  const tokens = { id: 'a', for: { kind: 'person' }, limit: 'tokens', amount: 5, per: 'day' };
  const problems = async (patch: object): Promise<unknown> => {
    const answer = await settings(patch);
    expect(answer.json).toMatchObject({ status: 400, code: 'validation_failed' });
    return answer.json.errors.map(({ path }: { path: string }) => path);
  };

  it('name every problem', async () => {
    const rules = [
      { ...tokens, per: undefined, amount: 0.5 },
      tokens,
      { ...tokens, id: 'b', limit: 'runs', at_end: 'fast_model' },
      { ...tokens, id: 'c', limit: 'storage', per: undefined, for: { kind: 'group' } },
      { ...tokens, id: 'd', per: 'term' },
      { ...tokens, id: 'e', for: { kind: 'assistant', id: 'x' } },
    ];
    expect(await problems({ limits: { rules } })).toEqual([
      ...['limits.rules[0].per', 'limits.rules[0].amount'],
      ...['limits.rules[2].per', 'limits.rules[2].at_end'],
      ...['limits.rules[3].for.kind', 'limits.rules[4].per', 'limits.rules[5].for.id', 'limits.rules[1].id'],
    ]);
    const term = { name: 'Autumn', from: '2026-09-01', to: '2026-12-31' };
    const terms = [term, { ...term, name: 'Late', from: '2026-12-01', to: '2026-02-30' }];
    expect(await problems({ limits: { terms } })).toEqual(['limits.terms[1].to']);
    expect(await problems({ limits: { terms: [term, term] } })).toEqual(['limits.terms[1]']);
    const price = { provider: 'openai', model: 'm', from: '2026-13-01', input: 1, output: 1 };
    expect(await problems({ prices: { currency: null, models: [price, price] } })).toEqual([
      ...['prices.currency', 'prices.models[0].from', 'prices.models[1].from', 'prices.models[1]'],
    ]);
    expect(await problems({ limits: { rules: [{ ...tokens, who: 1 }] } })).toEqual(['limits.rules[0].who']);
  });

  it('keep a locked rule from the organization’s owner', async () => {
    const owner = await person(app, { role: 'owner', scopes: ['read', 'write', 'admin'] });
    const locked = { ...tokens, for: { kind: 'organization' }, locked: true };
    const own = { ...tokens, id: 'b' };
    expect((await settings({ limits: { rules: [locked] } })).status).toBe(200);
    const change = (rules: object[] | null) =>
      owner.api('PATCH', '/api/v1/organizations/default', { limits: { rules } });
    expect((await change([own, locked])).status).toBe(200);
    for (const rules of [null, [own], [{ ...locked, amount: 6 }], [locked, { ...own, locked: true }]])
      expect((await change(rules)).json).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await settings({ limits: { rules: null } })).status).toBe(200);
  });
});
