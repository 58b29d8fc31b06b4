import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as rawRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Global, Module } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import helmet from 'helmet';
import { ConfigModule, loadConfig } from '../../src/infrastructure/config';
import { ProblemFilter } from '../../src/infrastructure/http';
import { FRAME_PERMISSIONS, WebModule } from '../../src/web-ui';
import { WEB_DIRECTORY } from '../../src/web-ui/web.service';
import { Reflector } from '@nestjs/core';
import { startApp } from '../support/app';

const SCRIPT = 'const text = "many words "; '.repeat(100);
const PAGE = `<!doctype html><title>UI</title><script>start()</script>${' '.repeat(2_000)}`;
/** The one site that may frame a chat. */
const MOODLE = 'https://moodle.example.edu';
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

/** A platform that launched an activity. */
const CAMPUS = 'https://campus.example.edu';

@Global()
@Module({
  providers: [
    {
      provide: FRAME_PERMISSIONS,
      useValue: { ancestorsOf: (id: string) => Promise.resolve(id === 'known' ? [CAMPUS] : []) },
    },
  ],
  exports: [FRAME_PERMISSIONS],
})
class Permissions {}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** As it is on the wire: `fetch` would unpack it and follow dots in paths. */
const send = (url: string, path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    rawRequest({ hostname, port, path, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }),
      );
    })
      .on('error', reject)
      .end();
  });

describe('the web UI', () => {
  let folder: string;
  let app: NestExpressApplication;
  let url: string;
  const get = (path: string, headers?: Record<string, string>, method?: string) => send(url, path, headers, method);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bw-web-'));
    mkdirSync(join(folder, 'build', '_app', 'immutable'), { recursive: true });
    writeFileSync(join(folder, 'secret.txt'), 'secret');
    writeFileSync(join(folder, 'build', 'index.html'), PAGE);
    writeFileSync(join(folder, 'build', 'favicon.svg'), '<svg/>');
    writeFileSync(join(folder, 'build', '_app', 'immutable', 'a.js'), SCRIPT);
    writeFileSync(join(folder, 'build', '_app', 'version.json'), '{"version":"1"}');
    const config = loadConfig({ FRAME_ANCESTORS: MOODLE }, []);
    const module = await Test.createTestingModule({ imports: [ConfigModule.of(config), Permissions, WebModule] })
      .overrideProvider(WEB_DIRECTORY)
      .useValue(join(folder, 'build'))
      .compile();
    app = module.createNestApplication<NestExpressApplication>({ logger: false });
    // As `setUpApp` does: the page's own headers come after these.
    app.use(helmet());
    app.useGlobalFilters(new ProblemFilter(app.get(Reflector)));
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
  });
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });

  it.each(['/', '/index.html', '/assistants/123', '/multi-tool-assistants/456', '/sign-in?problem=link', '/a.b/c'])(
    'opens at %s',
    async (path) => {
      const { status, headers, body } = await get(path, HTML);
      expect([status, body.toString()]).toEqual([200, PAGE]);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(headers['cache-control']).toBe('no-cache');
      expect(headers['content-security-policy']).toContain(`script-src 'self' 'sha256-`);
    },
  );

  it('keeps what has a hash in its name for ever, and asks about the rest', async () => {
    const script = await get('/_app/immutable/a.js');
    expect(script.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
    });
    expect((await get('/_app/version.json')).headers['cache-control']).toBe('no-cache');
    const icon = await get('/favicon.svg');
    expect(icon.headers['content-type']).toBe('image/svg+xml');
    const again = await get('/favicon.svg', { 'if-none-match': String(icon.headers['etag']) });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  });

  it('is compressed for who takes that', async () => {
    const small = await get('/_app/immutable/a.js', { 'accept-encoding': 'gzip, deflate, br' });
    expect(small.headers).toMatchObject({ 'content-encoding': 'br', vary: expect.stringContaining('Accept-Encoding') });
    expect(brotliDecompressSync(small.body).toString()).toBe(SCRIPT);
    const { headers, body } = await get('/_app/immutable/a.js', { 'accept-encoding': 'gzip' });
    expect(small.headers['etag']).not.toBe(headers['etag']);
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: expect.stringContaining('Accept-Encoding') });
    expect(gunzipSync(body).toString()).toBe(SCRIPT);
    expect(body.length).toBeLessThan(SCRIPT.length / 5);
    const plain = await get('/_app/immutable/a.js');
    expect(plain.body.toString()).toBe(SCRIPT);
    expect(plain.headers['etag']).not.toBe(headers['etag']);
  });

  it('answers HEAD as GET, without the body', async () => {
    for (const path of ['/', '/_app/immutable/a.js']) {
      const { status, headers, body } = await get(path, HTML, 'HEAD');
      expect([status, body.length]).toEqual([200, 0]);
      expect(Number(headers['content-length'])).toBeGreaterThan(0);
    }
  });

  it.each([
    ['a chunk of an older build', '/_app/immutable/old.js', HTML],
    ['an unknown path of the API', '/api/v1/nothing', HTML],
    ['the same without more', '/api', HTML],
    ['an unknown picture', '/missing.png', { accept: 'image/avif,image/webp,*/*' }],
    ['a program that asks for anything', '/assistants/1', { accept: '*/*' }],
    ['a program that asks for JSON', '/assistants/1', { accept: 'application/json' }],
    ['a way out', '/../secret.txt', { accept: '*/*' }],
    ['an encoded way out', '/%2e%2e/secret.txt', { accept: '*/*' }],
    ['a way out from below', '/_app/../../secret.txt', { accept: '*/*' }],
  ])('is not what %s gets', async (_, path, headers) => {
    const { status, headers: answered, body } = await get(path, headers);
    expect([status, answered['content-type']]).toEqual([404, 'application/problem+json; charset=utf-8']);
    expect(JSON.parse(body.toString())).toMatchObject({ code: 'not_found' });
  });

  it.each([
    ['/chat/7', `'self' ${MOODLE}`, undefined],
    ['/chat/7/some-conversation', `'self' ${MOODLE}`, undefined],
    ['/chat/7?activity=known', `'self' ${MOODLE} ${CAMPUS}`, undefined],
    ['/chat/7?activity=other', `'self' ${MOODLE}`, undefined],
    ['/assistants?activity=known', `'self'`, 'SAMEORIGIN'],
    ['/chat/', `'self'`, 'SAMEORIGIN'],
    ['/assistants', `'self'`, 'SAMEORIGIN'],
    ['/', `'self'`, 'SAMEORIGIN'],
  ])('tells who may frame %s', async (path, ancestors, frames) => {
    const { headers } = await get(path, HTML);
    expect(/frame-ancestors ([^;]*)/.exec(String(headers['content-security-policy']))?.[1]).toBe(ancestors);
    expect(headers['x-frame-options']).toBe(frames);
  });

  it('does not answer to what changes something', async () => {
    expect((await get('/assistants/1', HTML, 'POST')).status).toBe(404);
  });
});

it('leaves every door its own: their 404 is theirs, and the API’s pages have their policy', async () => {
  const app = await startApp();
  try {
    const unknown = await send(app.url, '/v1/nothing', HTML);
    expect([unknown.status, JSON.parse(unknown.body.toString()).error.type]).toEqual([404, 'invalid_request_error']);
    expect((await send(app.url, '/api/v1/nothing', HTML)).headers['content-type']).toContain('problem+json');
    expect((await send(app.url, '/api/docs', HTML)).status).toBe(200);
    expect((await send(app.url, '/api/v1/me', HTML)).status).toBe(401);
    const root = await send(app.url, '/', HTML);
    expect([200, 503]).toContain(root.status);
    expect(root.headers['content-type']).toContain('text/html');
    expect(root.headers['x-content-type-options']).toBe('nosniff');
  } finally {
    await app.stop();
  }
});
