import { afterEach, expect, it, vi } from 'vitest';
import { api, onSignedOut, refused } from './client';
import { ProblemError, toProblem } from './problem';

const failureOf = (asked: Promise<unknown>): Promise<unknown> => asked.catch((error: unknown) => error);
const answer = (body: string | null, init: ResponseInit = {}) => {
  const fetched = vi.fn(async (_url: string, _init: RequestInit) => new Response(body, init));
  vi.stubGlobal('fetch', fetched);
  return () => {
    const [url, sent] = fetched.mock.calls[0] ?? [];
    const { method, body, signal } = sent ?? {};
    return { url, method, body, signal, headers: new Headers(sent?.headers) };
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
  const failure = await failureOf(api.GET('/api/v1/me'));
  expect(failure).toBeInstanceOf(ProblemError);
  expect(failure).toMatchObject({ status: 404, code: 'not_found', detail: 'There is none.' });
});

it('writes each of several values, and hands on what ends the question', async () => {
  const sent = answer('{}');
  const { signal } = new AbortController();
  await api.GET('/api/v1/runs', { params: { query: { status: ['failed', 'running'] as never, limit: 1 } }, signal });
  expect(sent().url).toBe('/api/v1/runs?status=failed&status=running&limit=1');
  expect(sent().signal).toBe(signal);
});

it('tells of a session that has ended, but not when a key is refused at the door', async () => {
  const ended = vi.fn();
  onSignedOut(ended);
  const refusal = '{"code":"unauthenticated","detail":"No session"}';
  answer(refusal, { status: 401 });
  expect(await failureOf(api.POST('/api/v1/session' as never, {} as never))).toMatchObject({ status: 401 });
  answer('{"code":"forbidden"}', { status: 403 });
  await failureOf(api.GET('/api/v1/me'));
  expect(ended).not.toHaveBeenCalled();
  answer(refusal, { status: 401 });
  expect(await failureOf(api.GET('/api/v1/me'))).toMatchObject({ code: 'unauthenticated' });
  expect(ended).toHaveBeenCalledOnce();
  expect(await refused(new Response(refusal, { status: 401 }))).toMatchObject({ code: 'unauthenticated' });
  expect(ended).toHaveBeenCalledTimes(2);
});

it('says of a success that is no JSON what came, and with which request', async () => {
  answer('<html>Sign in to the network</html>', { status: 200, headers: { 'x-request-id': 'r-7' } });
  const failure = await failureOf(api.GET('/api/v1/me'));
  expect(failure).toBeInstanceOf(ProblemError);
  expect(failure).toMatchObject({ status: 200, code: 'unexpected_answer', requestId: 'r-7' });
});

it('tells a lost connection from an abort and from a mistake of the page', async () => {
  const failing = async (error: unknown): Promise<unknown> => {
    vi.stubGlobal('fetch', () => Promise.reject(error));
    return failureOf(api.GET('/api/v1/me'));
  };
  expect(await failing(new TypeError('Failed to fetch'))).toMatchObject({ status: 0, code: 'offline' });
  const aborted = new DOMException('Aborted', 'AbortError');
  expect(await failing(aborted)).toBe(aborted);
  const broken = { text: () => Promise.reject(new TypeError('network error')) };
  vi.stubGlobal('fetch', () => Promise.resolve(Object.assign(new Response('{}'), broken)));
  expect(await failureOf(api.GET('/api/v1/me'))).toMatchObject({ code: 'offline' });
  expect(toProblem(new TypeError('x is not a function')).code).toBe('unexpected');
});
