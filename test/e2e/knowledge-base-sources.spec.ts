import { DataSource } from 'typeorm';
import { SourceSweep } from '../../src/knowledge-bases/sources/source-refresh.service';
import { startApp, type TestApp } from '../support/app';
import { foreignOrganization, type Person, person } from '../support/people';
import { html, type ScriptedSite, startSite, watchPage } from '../support/scripted-site';
import { until } from '../support/until';

let site: ScriptedSite;
let internal: ScriptedSite;
let app: TestApp;
let teacher: Person;
let base: string;

beforeAll(async () => {
  site = await startSite();
  internal = await startSite();
  internal.on('/secret', '<h1>Secret</h1>');
  app = await startApp({
    env: { OUTBOUND_ALLOW: `127.0.0.1:${site.port}`, SOURCE_TIMEOUT: '1500', EXTRACTION_TIMEOUT: '3000' },
  });
  teacher = await person(app);
});
afterAll(async () => {
  await app.stop();
  await site.stop();
  await internal.stop();
});
beforeEach(async () => {
  const made = await teacher.api('POST', '/api/v1/knowledge-bases', { name: 'Biology', language: 'en' });
  base = `/api/v1/knowledge-bases/${made.json.id}`;
  site.on('/robots.txt', (_, response) => void response.writeHead(404).end());
});

const page = (text: string): string =>
  `<!doctype html><html><head><title>Cells</title></head><body><main><h1>Cells</h1><p>${text}</p></main></body></html>`;
const add = async (path: string, more: object = {}): Promise<any> => {
  const { status, json } = await teacher.api('POST', `${base}/sources`, { url: site.url + path, ...more });
  expect(status).toBe(201);
  return settled(json);
};
const refresh = async ({ id }: any): Promise<any> =>
  settled((await teacher.api('POST', `${base}/sources/${id}/refresh`)).json);
/** The answer waits ten seconds for the reading, which is too short on a busy machine. */
const settled = (source: any): Promise<any> =>
  until(async () => {
    const isUnderWay = !['completed', 'failed'].includes(source.status);
    if (isUnderWay) source = (await teacher.api('GET', `${base}/sources/${source.id}`)).json;
    return isUnderWay ? null : source;
  });
const ask = async (query: string): Promise<any[]> =>
  (await teacher.api('POST', `${base}/query`, { query })).json.results;
const sql = (text: string, values: unknown[] = []) => app.get(DataSource).query(text, values);
const askedFor = (path: string) => site.asked.filter((request) => request.path === path);

describe('a page', () => {
  it('is fetched with the name of the service, becomes a document, and its passages lead to the page', async () => {
    site.on('/bio/cells', page('Chlorophyll absorbs light in the thylakoid membrane.'));
    const source = await add('/bio/cells#top', { refresh: 'daily' });
    expect(source).toMatchObject({
      url: `${site.url}/bio/cells`,
      kind: 'page',
      refresh: 'daily',
      status: 'completed',
      title: 'Cells',
      error: null,
    });
    const inADay = Date.parse(source.next_refresh_at) - Date.parse(source.fetched_at);
    expect(inADay).toBe(24 * 60 * 60_000);
    expect(askedFor('/bio/cells')[0]?.headers['user-agent']).toMatch(/^Bellwether/);
    const [best] = await ask('What does chlorophyll absorb?');
    expect(best.metadata).toMatchObject({ source_url: `${site.url}/bio/cells`, title: 'Cells' });
    const { json } = await teacher.api('GET', `${base}/documents`);
    expect(json.items).toMatchObject([
      { source_url: `${site.url}/bio/cells`, filename: `127.0.0.1:${site.port} › bio › cells.html` },
    ]);
    expect((await teacher.api('GET', `${base}/documents/${source.document_id}/content`)).text).toContain('thylakoid');
  });

  it('that is equal changes nothing; a changed one replaces its document', async () => {
    let text = 'Magma rises.';
    site.on('/volcano', (_, response) => html(response, page(text)));
    const source = await add('/volcano');
    const before = (await teacher.api('GET', `${base}/documents/${source.document_id}`)).json;
    await refresh(source);
    expect((await teacher.api('GET', `${base}/documents/${source.document_id}`)).json).toEqual(before);
    text = 'Lava cools.';
    expect(await refresh(source)).toMatchObject({ status: 'completed', document_id: source.document_id });
    expect(await ask('magma')).toEqual([]);
    expect(await ask('lava')).toHaveLength(1);
  });

  it('is asked for only when it changed, if the site names a validator', async () => {
    site.on('/tagged', (request, response) => {
      if (request.headers['if-none-match'] === '"v1"') return void response.writeHead(304).end();
      html(response, page('Osmosis moves water.'), { etag: '"v1"' });
    });
    const source = await add('/tagged');
    const again = await refresh(source);
    expect(again).toMatchObject({ status: 'completed', document_id: source.document_id });
    expect(askedFor('/tagged').map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"v1"']);
    // Deleted by hand, the document has to come back whole.
    await teacher.api('DELETE', `${base}/documents/${source.document_id}`);
    expect(await refresh(source)).toMatchObject({ status: 'completed' });
    expect(await ask('osmosis')).toHaveLength(1);
  });

  it('keeps its last good text when a refresh fails, and says why it failed', async () => {
    site.on('/moody', page('Enzymes speed reactions.'));
    const source = await add('/moody', { refresh: 'weekly' });
    site.on('/moody', (_, response) => void response.writeHead(503).end());
    const failed = await refresh(source);
    expect(failed).toMatchObject({
      status: 'failed',
      error_code: 'source.unavailable',
      document_id: source.document_id,
    });
    expect(failed.error).toContain('503');
    expect(Date.parse(failed.next_refresh_at) - Date.parse(failed.checked_at)).toBe(15 * 60_000);
    site.on('/moody', '<html><script>only()</script></html>');
    expect(await refresh(source)).toMatchObject({ status: 'failed', error_code: 'document.no_text' });
    expect(await ask('enzymes')).toHaveLength(1);
    site.on('/moody', page('Enzymes are proteins.'));
    expect(await refresh(source)).toMatchObject({ status: 'completed', error: null });
    expect(await ask('proteins')).toHaveLength(1);
  });

  it('is fetched again when its time has come, which its owner may change', async () => {
    site.on('/news', page('First edition.'));
    const source = await add('/news');
    const to = (refresh: string) => teacher.api('PATCH', `${base}/sources/${source.id}`, { refresh });
    for (const [refresh, days] of [
      ['weekly', 7],
      ['daily', 1],
    ] as const) {
      const { json } = await to(refresh);
      const wait = Date.parse(json.next_refresh_at) - Date.parse(json.checked_at);
      expect([json.refresh, wait]).toEqual([refresh, days * 24 * 60 * 60_000]);
    }
    expect((await to('hourly')).status).toBe(400);
    site.on('/news', page('Second edition.'));
    await sql('UPDATE kb_sources SET next_at = now() WHERE id = $1', [source.id]);
    await app.get(SourceSweep).sweep({ alone: false, first: false });
    await until(async () => (await ask('second')).length === 1);
  });

  it('in another character set is read by its header', async () => {
    site.on('/latin', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=iso-8859-2' });
      response.end(Buffer.from('<html><body><p>P\u00f8\u00edli\u00b9 \u00be</p></body></html>', 'latin1'));
    });
    await add('/latin');
    expect((await ask('Příliš'))[0]?.data).toBe('Příliš ž');
  });

  it('that robots.txt closes is not read, also behind a redirect', async () => {
    site.on(
      '/robots.txt',
      (_, response) =>
        void response.writeHead(200, { 'content-type': 'text/plain' }).end('User-agent: *\nDisallow: /closed'),
    );
    site.on('/closed/page', page('Never read.'));
    site.on('/open', (_, response) => void response.writeHead(302, { location: '/closed/page' }).end());
    for (const path of ['/closed/page', '/open']) {
      expect(await add(path)).toMatchObject({ status: 'failed', error_code: 'source.robots', document_id: null });
    }
    expect(askedFor('/closed/page')).toEqual([]);
  });
});

describe('hostile sites', () => {
  it.each([
    ['a redirect into the network', 302, 'outbound_refused'],
    ['a redirect that repeats the request', 308, 'outbound_refused'],
  ])('%s is refused', async (_, status, code) => {
    const path = `/inside-${status}`;
    site.on(path, (__, response) => void response.writeHead(status, { location: `${internal.url}/secret` }).end());
    expect(await add(path)).toMatchObject({ status: 'failed', error_code: code, document_id: null });
    expect(internal.asked).toEqual([]);
  });

  it('a redirect in a circle, a wrong type, a missing and a closed page fail with their reasons', async () => {
    site.on('/circle', (_, response) => void response.writeHead(302, { location: '/circle' }).end());
    site.on('/image', (_, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end('png'));
    site.on('/login', (_, response) => void response.writeHead(403).end());
    site.on('/zipped', (_, response) => html(response, 'x', { 'content-encoding': 'gzip' }));
    const failures = [];
    for (const path of ['/circle', '/image', '/nothing', '/login', '/zipped']) {
      const { status, error_code } = await add(path);
      failures.push([path, status, error_code]);
    }
    expect(failures).toEqual([
      ['/circle', 'failed', 'upstream_error'],
      ['/image', 'failed', 'source.content_type'],
      ['/nothing', 'failed', 'source.not_found'],
      ['/login', 'failed', 'source.forbidden'],
      ['/zipped', 'failed', 'upstream_error'],
    ]);
  });

  it('an endless body and an endless wait end at their limits', async () => {
    site.on('/endless', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(1 << 20))) continue;
      };
      response.on('drain', more);
      more();
    });
    site.on('/slow', (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).write('<p>'));
    const endless = await add('/endless');
    expect(['source.too_large', 'upstream_timeout']).toContain(endless.error_code);
    expect(await add('/slow')).toMatchObject({ status: 'failed', error_code: 'upstream_timeout' });
  });

  it('a page that is a bomb fails alone', async () => {
    site.on('/bomb', `<html><body>${'<div>'.repeat(300_000)}deep`);
    expect(await add('/bomb')).toMatchObject({ status: 'failed' });
    site.on('/fine', page('Still here.'));
    expect(await add('/fine')).toMatchObject({ status: 'completed' });
  });

  it.each([
    ['file:///etc/passwd', 400],
    ['http://user:secret@example.edu/', 400],
    ['nonsense', 400],
    ['http://localhost/', 400],
    ['http://169.254.169.254/latest/meta-data', 400],
  ])('the address %s is refused at once', async (url, status) => {
    const answer = await teacher.api('POST', `${base}/sources`, { url });
    expect(answer.status).toBe(status);
    expect((await teacher.api('GET', `${base}/sources`)).json).toMatchObject({ items: [], total: 0 });
  });
});

describe('a video', () => {
  const events = [
    { tStartMs: 0, dDurationMs: 4000, segs: [{ utf8: 'Welcome to cell biology.' }] },
    { tStartMs: 95_000, dDurationMs: 4000, segs: [{ utf8: 'Mitochondria release energy.' }] },
  ];
  const tracks = [
    { baseUrl: '/api/timedtext?v=abc123XYZ_-&lang=es', languageCode: 'es' },
    { baseUrl: '/api/timedtext?v=abc123XYZ_-&lang=en', languageCode: 'en', kind: 'asr' },
  ];

  it('gives its captions, and a passage leads to its moment', async () => {
    site.on('/watch?v=abc123XYZ_-', watchPage('Cell biology', tracks));
    site.on(
      '/api/timedtext',
      (_, response) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ events })),
    );
    const source = await add('/watch?v=abc123XYZ_-&list=PL1');
    expect(source).toMatchObject({
      url: `${site.url}/watch?v=abc123XYZ_-`,
      kind: 'video',
      status: 'completed',
      title: 'Cell biology',
    });
    expect(site.asked.at(-1)?.path).toBe('/api/timedtext?v=abc123XYZ_-&lang=en&fmt=json3');
    const [best] = await ask('mitochondria');
    expect(best.metadata).toMatchObject({
      source_url: `${site.url}/watch?v=abc123XYZ_-&t=95`,
      start_time: 95,
      start_timestamp: '1:35',
      section: '1:35',
    });
  });

  it('without captions, or with captions that the site keeps, says so', async () => {
    site.on('/watch?v=silent_1', watchPage('Silent', []));
    site.on('/watch?v=keeps_it', watchPage('Kept', [{ baseUrl: '/kept', languageCode: 'en' }]));
    site.on('/kept', (_, response) => void response.writeHead(200).end());
    site.on('/watch?v=inside_1', watchPage('Inside', [{ baseUrl: `${internal.url}/secret`, languageCode: 'en' }]));
    const codes = [];
    for (const id of ['silent_1', 'keeps_it', 'inside_1']) codes.push((await add(`/watch?v=${id}`)).error_code);
    expect(codes).toEqual(['source.no_captions', 'source.no_captions', 'outbound_refused']);
    expect(internal.asked).toEqual([]);
  });

  it('may be given by a file of captions', async () => {
    site.on(
      '/talk.srt',
      (_, response) =>
        void response
          .writeHead(200, { 'content-type': 'text/plain' })
          .end('1\n00:01:05,000 --> 00:01:09,000\nRibosomes build proteins.\n'),
    );
    expect(await add('/talk.srt')).toMatchObject({ kind: 'video', status: 'completed' });
    const [best] = await ask('ribosomes');
    expect(best.metadata).toMatchObject({ source_url: `${site.url}/talk.srt#t=65`, start_timestamp: '1:05' });
  });
});

describe('rights', () => {
  it('an address is added once, by the owner only, and is removed with its document', async () => {
    site.on('/once', page('Once only.'));
    const source = await add('/once');
    const twice = await teacher.api('POST', `${base}/sources`, { url: `${site.url}/once` });
    expect(twice.json).toMatchObject({ status: 409, code: 'conflict', errors: [{ path: 'url' }] });
    const colleague = await person(app);
    const foreigner = await person(app, { organization: await foreignOrganization(app) });
    const of = `${base}/sources/${source.id}`;
    expect((await colleague.api('GET', `${base}/sources`)).status).toBe(404);
    await teacher.api('PATCH', base, { visibility: 'organization' });
    expect((await colleague.api('GET', of)).json).toMatchObject({ id: source.id });
    expect((await colleague.api('POST', `${of}/refresh`)).status).toBe(403);
    expect((await colleague.api('DELETE', of)).status).toBe(403);
    expect((await foreigner.api('GET', of)).status).toBe(404);
    expect((await teacher.api('DELETE', of)).status).toBe(204);
    expect((await teacher.api('GET', of)).status).toBe(404);
    expect((await teacher.api('GET', `${base}/documents`)).json.total).toBe(0);
    const entries = await sql(`SELECT action FROM audit_entries WHERE target_id = $1 ORDER BY id`, [source.id]);
    expect(entries.map(({ action }: any) => action)).toEqual(['source.create', 'source.delete']);
  });

  it('every problem of a bad body is named', async () => {
    const { json } = await teacher.api('POST', `${base}/sources`, {
      url: 7,
      refresh: 'hourly',
      language: 'english',
      x: 1,
    });
    expect(json.errors.map(({ path }: any) => path).sort()).toEqual(['language', 'refresh', 'url', 'url', 'x']);
  });
});
