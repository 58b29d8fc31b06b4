import type { Config } from '../../infrastructure/config';
import type { OutboundClient } from '../../infrastructure/outbound';
import { ExternalSearch } from './external-search';
import type { RetrievalQuery } from './retrieval.types';

const SERVER = { serverUrl: 'https://kb.example', apiToken: null };
const QUERY: RetrievalQuery = { text: 'Why green?', collections: ['biology'], topK: 3, threshold: 0 };

/** Request that the outbound client gets for one query. */
async function requestOf(query: Partial<RetrievalQuery>, defaultTimeoutMs = 30_000) {
  const request = jest.fn<ReturnType<OutboundClient['request']>, Parameters<OutboundClient['request']>>(async () => ({
    status: 200,
    headers: {},
    text: '{"results":[]}',
  }));
  const external = new ExternalSearch(
    { request } as unknown as OutboundClient,
    { tools: { defaultTimeoutMs } } as Config,
    { runtime: () => Promise.reject(new Error('not asked')) },
  );
  await external.query(SERVER, QUERY.collections, { ...QUERY, ...query });
  return request.mock.calls[0]?.[0];
}

describe('the time of a request to an external knowledge-base server', () => {
  it.each([
    [25_000, 24_000],
    [60_000, 59_000],
    [600_000, 599_000],
  ])("is the caller's %i ms minus one second: %i ms", async (timeoutMs, given) => {
    const { signal } = new AbortController();
    const request = await requestOf({ timeoutMs, signal });
    expect(request?.timeoutMs).toBe(given);
    expect(request?.signal).toBe(signal);
  });

  it("is nine tenths of the caller's when that is short", async () => {
    expect(await requestOf({ timeoutMs: 1_000 })).toMatchObject({ timeoutMs: 900 });
  });

  it('comes from TOOL_DEFAULT_TIMEOUT where the caller names none', async () => {
    expect(await requestOf({}, 120_000)).toMatchObject({ timeoutMs: 119_000 });
  });
});
