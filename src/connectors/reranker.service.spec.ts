import { AppError } from '@bellwether/kernel';
import type { OutboundRequest } from '../infrastructure/outbound';
import type { Metering } from '../metering';
import type { OrganizationsService } from '../organizations';
import { RerankerService, endpointOf } from './reranker.service';

const RERANKER = { dialect: 'cohere', url: 'https://rerank.example', model: 'm', apiKey: 'sk' };
const OK = { status: 200, headers: {} };

/** A reranker service whose vendor gives the answers in turn. */
function over(reranker: object | null, ...answers: (object | AppError)[]) {
  const asked: OutboundRequest[] = [];
  const request = (input: OutboundRequest) => {
    asked.push(input);
    const answer = answers.shift();
    if (answer instanceof AppError) return Promise.reject(answer);
    return Promise.resolve({ ...OK, text: '', ...answer });
  };
  const failed: unknown[] = [];
  const meter = { begin: () => ({ fail: (error: unknown) => failed.push(error) }), end: () => undefined };
  const service = new RerankerService(
    { runtime: () => Promise.resolve({ reranker }) } as unknown as OrganizationsService,
    { of: () => Promise.resolve(meter) } as unknown as Metering,
    { request },
    { tools: { rerankTimeoutMs: 50 } },
  );
  const scores = () =>
    service.scores('o', { question: 'why?', passages: ['one', 'two'], signal: new AbortController().signal });
  return { asked, failed, scores };
}

const answer = (value: unknown) => ({ text: JSON.stringify(value) });
const results = (...pairs: [unknown, unknown][]) =>
  answer({ results: pairs.map(([index, relevance_score]) => ({ index, relevance_score })) });

describe('the dialects', () => {
  it.each([
    [
      'cohere',
      'https://rerank.example/v2/rerank',
      { model: 'm', query: 'why?', documents: ['one', 'two'], top_n: 2 },
      results([1, 0.9], [0, 0.1]),
    ],
    [
      'jina',
      'https://rerank.example/v1/rerank',
      { model: 'm', query: 'why?', documents: ['one', 'two'], top_n: 2, return_documents: false },
      results([1, 0.9], [0, 0.1]),
    ],
    [
      'tei',
      'https://rerank.example/rerank',
      { query: 'why?', texts: ['one', 'two'], truncate: true },
      answer([
        { index: 1, score: 0.9 },
        { index: 0, score: 0.1 },
      ]),
    ],
  ])('%s asks and reads as its vendor documents', async (dialect, url, body, said) => {
    const { asked, scores } = over({ ...RERANKER, dialect }, said);
    expect(await scores()).toEqual([0.1, 0.9]);
    expect(asked).toMatchObject([{ url, method: 'POST', timeoutMs: 50, headers: { authorization: 'Bearer sk' } }]);
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual(body);
  });

  it.each([
    ['https://api.example/v2', 'v2/rerank', 'https://api.example/v2/rerank'],
    ['https://api.example/x/rerank/', 'v1/rerank', 'https://api.example/x/rerank'],
    ['https://api.example/proxy', 'rerank', 'https://api.example/proxy/rerank'],
  ])('%s may be the address of %s', (address, path, url) => {
    expect(endpointOf(address, path)).toBe(url);
  });
});

describe('an answer that cannot be right', () => {
  it.each([
    ['no JSON', { text: '<html>' }],
    ['another form', answer({ scores: [1, 2] })],
    ['a passage that was not asked', results([0, 0.5], [2, 0.9])],
    ['a passage twice', results([0, 0.5], [0, 0.9])],
    ['too few', results([0, 0.5])],
    ['too many', results([0, 0.5], [1, 0.5], [2, 0.5])],
    ['a score that is no number', results([0, '0.5'], [1, 0.5])],
    ['an index that is no number', results(['0', 0.5], [1, 0.5])],
  ])('is refused: %s', async (_, said) => {
    await expect(over(RERANKER, said).scores()).rejects.toMatchObject({ code: 'upstream_bad_response' });
  });

  it.each([
    [401, 'upstream_auth'],
    [422, 'upstream_rejected'],
    [503, 'upstream_error'],
  ])('is refused: status %i', async (status, code) => {
    const { failed, scores } = over(RERANKER, { status });
    await expect(scores()).rejects.toMatchObject({ code });
    expect(failed).toMatchObject([{ code }]);
  });
});

describe('a reranker', () => {
  it('that hung is not asked for a while', async () => {
    const { asked, scores } = over(RERANKER, new AppError('upstream_timeout', 'too slow'));
    await expect(scores()).rejects.toMatchObject({ code: 'upstream_timeout' });
    await expect(scores()).rejects.toMatchObject({ code: 'upstream_timeout' });
    expect(asked).toHaveLength(1);
  });

  it('may be missing, or speak an unknown dialect', async () => {
    await expect(over(null).scores()).rejects.toMatchObject({ code: 'connector_not_configured' });
    const unknown = over({ ...RERANKER, dialect: 'other' });
    await expect(unknown.scores()).rejects.toMatchObject({ code: 'connector_not_configured' });
  });
});
