import { AppError } from '@bellwether/kernel';
import { OLLAMA } from '../../src/connectors/catalog/ollama';
import { OPENAI } from '../../src/connectors/catalog/openai';
import { describeEmbeddingProvider } from '../../src/connectors/testing/embedding-provider.conformance';
import { type ConnectorPlugin, type EmbeddingProvider, EmbeddingsService } from '../../src/connectors';
import { embeddingsOf } from '../../src/connectors/vendor-embeddings';
import type { OrganizationsService } from '../../src/organizations';
import { UNMETERED } from '../support/unmetered';
import { type EmbeddingFault, type EmbeddingUpstream, startEmbeddingUpstream } from '../support/embedding-upstream';
import { until } from '../support/until';
import { outboundFor, SECRET, targetAt } from '../support/upstream-caller';

let vendor: EmbeddingUpstream;
const sourceOf = (plugin: ConnectorPlugin): EmbeddingProvider => {
  const source = embeddingsOf(plugin, outboundFor());
  if (source === null) throw new Error(`${plugin.definition.name} declares no embeddings`);
  return source;
};
const openai = sourceOf(OPENAI);
const ollama = sourceOf(OLLAMA);

beforeAll(async () => {
  vendor = await startEmbeddingUpstream();
});
beforeEach(() => vendor.reset());
afterAll(async () => {
  await vendor.stop();
});

describeEmbeddingProvider('openai', { provider: () => openai, target: () => targetAt(vendor.url), model: 'words' });
describeEmbeddingProvider('ollama', { provider: () => ollama, target: () => targetAt(vendor.origin), model: 'words' });
const organization = (baseUrl: string, more = {}) =>
  ({
    runtime: async () => ({
      providers: new Map([
        ['openai', { name: 'openai', baseUrl, apiKey: SECRET, trusted: true, ...more }],
        ['ollama', { name: 'ollama', baseUrl: baseUrl.replace('/v1', ''), apiKey: null, trusted: true, ...more }],
      ]),
    }),
  }) as unknown as OrganizationsService;
const service = (more = {}) => new EmbeddingsService([openai, ollama], organization(vendor.url, more), UNMETERED);
const passages = (texts: readonly string[], more = {}) =>
  service().embed('org', {
    provider: 'openai',
    model: 'words',
    purpose: 'passage',
    texts,
    dimensions: null,
    signal: new AbortController().signal,
    ...more,
  });
const many = (count: number, length = 20) =>
  Array.from({ length: count }, (_, at) => `${'passage '.repeat(length / 8)}${at}`);

describe('passages', () => {
  it('go to the vendor in batches, with the organization’s key, and come back in order at length 1', async () => {
    const vectors = await passages(many(100));
    expect(vectors).toHaveLength(100);
    for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 6);
    const [one] = await passages([many(100)[77] ?? '']);
    expect(vectors[77]).toEqual(one);
    expect(vendor.requests[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
    expect(
      vendor.requests
        .slice(0, 4)
        .map(({ texts }) => texts.length)
        .sort(),
    ).toEqual([32, 32, 32, 4].sort());
    expect(vendor.requests[0]?.body).toMatchObject({ model: 'words', encoding_format: 'float' });
    expect(vendor.requests[0]?.body).not.toHaveProperty('dimensions');
  });

  it('are not logged by the SDK, whatever its environment says', async () => {
    const said = jest.spyOn(console, 'debug').mockImplementation(() => undefined);
    const log = jest.replaceProperty(process, 'env', { ...process.env, OPENAI_LOG: 'debug' });
    await passages(['a secret passage']);
    expect(said).not.toHaveBeenCalled();
    log.restore();
    said.mockRestore();
  });

  it('are asked for few at a time', async () => {
    vendor.delay(20);
    await passages(many(400));
    expect(vendor.peak).toBeLessThanOrEqual(4);
  });

  it('wait as long as the vendor says, and are paid for once', async () => {
    vendor.fail({ fault: 'rate-limited', retryAfter: 1 });
    const started = performance.now();
    expect(await passages(many(3))).toHaveLength(3);
    expect(performance.now() - started).toBeGreaterThan(950);
    expect(vendor.embedded).toBe(3);
  });

  it.each<EmbeddingFault>(['too-large', 'too-long'])('are sent in halves where a call is %s', async (fault) => {
    vendor.fail({ fault });
    expect(await passages(many(10))).toHaveLength(10);
    expect(vendor.requests.map(({ texts }) => texts.length)).toEqual([10, 5, 5]);
  });

  it('that are longer than the model reads say so', async () => {
    vendor.readAtMost(100);
    const failure = passages([...many(3), 'x'.repeat(300)]);
    await expect(failure).rejects.toMatchObject({
      code: 'upstream_rejected',
      detail: 'A passage of 300 characters is longer than the embedding model words reads; choose a smaller chunk_size',
    });
  });

  it.each<[EmbeddingFault, string]>([
    ['unauthorized', 'upstream_auth'],
    ['short-list', 'upstream_bad_response'],
    ['not-a-number', 'upstream_bad_response'],
    ['null-vector', 'upstream_bad_response'],
    ['zero-vector', 'upstream_bad_response'],
    ['infinite', 'upstream_bad_response'],
    ['html', 'upstream_bad_response'],
  ])('of a vendor that is %s end in %s, without its words or our key', async (fault, code) => {
    vendor.fail({ fault });
    const error = await passages(many(2)).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code });
    expect((error as AppError).detail).not.toContain(SECRET);
  });

  it('of one call in other dimensions than of the next are refused', async () => {
    vendor.fail({ fault: 'wrong-dimension' });
    await expect(passages(many(40))).rejects.toMatchObject({ code: 'upstream_bad_response' });
  });

  it('survive a vendor that fails now and then', async () => {
    vendor.fail({ fault: 'server-error' }, 2);
    expect(await passages(many(2))).toHaveLength(2);
  });

  it('are given up when nobody waits any more', async () => {
    vendor.fail({ fault: 'slow' });
    const leave = new AbortController();
    const answer = passages(many(2), { signal: leave.signal });
    await until(() => vendor.requests.length === 1);
    leave.abort();
    await expect(answer).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('may have fewer dimensions where the model offers them', async () => {
    const [vector] = await passages(['x'], { dimensions: 4 });
    expect(vector).toHaveLength(4);
    expect(vendor.requests[0]?.body).toMatchObject({ dimensions: 4 });
  });

  it('are told apart from questions for models that ask for it', async () => {
    await passages(['water'], { model: 'nomic-embed-text:latest', provider: 'ollama' });
    await passages(['water'], { model: 'nomic-embed-text:latest', provider: 'ollama', purpose: 'query' });
    expect(vendor.requests.map(({ texts }) => texts[0])).toEqual(['search_document: water', 'search_query: water']);
    expect(vendor.requests[0]?.path).toBe('/api/embed');
    expect(vendor.requests[0]?.body).toMatchObject({ truncate: false });
  });

  it('never reach an address that the organization may not dial', async () => {
    const failure = service({ trusted: false }).embed('org', {
      provider: 'openai',
      model: 'words',
      purpose: 'passage',
      texts: ['x'],
      dimensions: null,
      signal: new AbortController().signal,
    });
    await expect(failure).rejects.toMatchObject({ code: 'outbound_refused' });
    expect(vendor.requests).toHaveLength(0);
  });
});

describe('questions', () => {
  const ask = (text: string, more = {}) => passages([text], { purpose: 'query', ...more });

  it('that are too long for the model are read from their beginning', async () => {
    vendor.readAtMost(500);
    expect(await ask('why '.repeat(400))).toHaveLength(1);
  });

  it('do not wait for a vendor that wants a long pause', async () => {
    vendor.fail({ fault: 'rate-limited', retryAfter: 120 });
    await expect(ask('why')).rejects.toMatchObject({ code: 'upstream_rate_limited', retryAfter: 120 });
  });
});
