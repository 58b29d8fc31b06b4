import { afterEach, expect, it, vi } from 'vitest';
import { api } from './client';
import { ProblemError } from './problem';

const answer = (body: string | null, init: ResponseInit = {}) => {
  const fetched = vi.fn(async (_url: string, _init: RequestInit) => new Response(body, init));
  vi.stubGlobal('fetch', fetched);
  return () => {
    const [url, sent] = fetched.mock.calls[0] ?? [];
    return { url, method: sent?.method, body: sent?.body, headers: new Headers(sent?.headers) };
  };
};

afterEach(() => vi.unstubAllGlobals());

it('fills the path, writes the query without what is not given, and reads JSON', async () => {
  const sent = answer('{"name":"x"}');
  const { data } = await api.GET('/api/v1/runs', { params: { query: { limit: 5, status: undefined } } });
  expect(data).toEqual({ name: 'x' });
  expect(sent()).toMatchObject({ url: '/api/v1/runs?limit=5', method: 'GET', body: undefined });
  const path = answer('{}');
  await api.GET('/api/v1/rubrics/{id}', { params: { path: { id: 'a/b c' } } });
  expect(path().url).toBe('/api/v1/rubrics/a%2Fb%20c');
});

it('sends a body as JSON with the headers of the document', async () => {
  const sent = answer(null, { status: 204 });
  const { data } = await api.PATCH('/api/v1/assistants/{id}', {
    params: { path: { id: 3 }, header: { 'if-match': '"2"' } },
    body: { name: 'New' },
  });
  expect(data).toBeUndefined();
  expect(sent()).toMatchObject({ url: '/api/v1/assistants/3', method: 'PATCH', body: '{"name":"New"}' });
  expect(sent().headers.get('if-match')).toBe('"2"');
  expect(sent().headers.get('content-type')).toBe('application/json');
});

it('throws what the service said', async () => {
  answer('{"code":"not_found","detail":"There is none."}', { status: 404 });
  const failure = await api.GET('/api/v1/me').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ProblemError);
  expect(failure).toMatchObject({ status: 404, code: 'not_found', detail: 'There is none.' });
});
