// nginx with the locations that docker/ ships, in front of the service. Debian's nginx; where it is missing, `.ci/system.sh`.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DataSource } from 'typeorm';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant, user } from '../support/chat';
import { startUpstream, type Upstream } from '../support/upstream';
import { until } from '../support/until';

const NGINX = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((path) => existsSync(path));
const DOCKER = resolve(__dirname, '../../docker');
const WORDS = Array.from({ length: 12 }, (_, n) => `word-${n} `).join('');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

(NGINX === undefined ? describe.skip : describe)('behind nginx', () => {
  let app: TestApp;
  let upstream: Upstream;
  let nginx: ChildProcess;
  let url: string;
  const folder = mkdtempSync(join(tmpdir(), 'bw-nginx-'));
  const http = (inside: string): string => `
    daemon off; pid ${folder}/pid; error_log ${folder}/error.log; worker_processes 1;
    events { worker_connections 256; }
    http {
      access_log off;
      ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
      ${inside}
    }`;

  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({
      env: {
        OPENAI_BASE_URL: upstream.url,
        OPENAI_API_KEY: 'sk-canary-nginx-1',
        TRUSTED_PROXY_CIDRS: '127.0.0.1/32',
        TRUSTED_PROXY_SECRET: 'canary-proxy-secret',
      },
    });
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const configuration = http(`
      upstream bellwether { server ${new URL(app.url).host}; keepalive 8; }
      upstream keycloak { server 127.0.0.1:9; }
      server { listen 127.0.0.1:${port}; include ${DOCKER}/nginx/locations.conf; }`);
    writeFileSync(join(folder, 'nginx.conf'), configuration);
    nginx = spawn(NGINX ?? '', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'inherit' });
    await until(async () => (await fetch(`${url}/health/live`).catch(() => null))?.ok);
  });
  afterAll(async () => {
    const ended = once(nginx, 'exit');
    nginx.kill('SIGQUIT');
    await ended;
    await app.stop();
    await upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const ask = async (accept: Record<string, string> = {}): Promise<Response> =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.adminKey}`, 'content-type': 'application/json', ...accept },
      body: JSON.stringify({
        model: `lamb_assistant.${await makeAssistant(app, { prompt_template: '{user_input}' })}`,
        stream: true,
        messages: [user('Hi')],
      }),
    });

  it('tokens arrive while the model still writes', async () => {
    upstream.expect({ content: WORDS, delayMs: 150 });
    const response = await ask({ 'accept-encoding': 'gzip' });
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(response.headers.get('content-encoding')).toBeNull();
    const [decoder, arrivals] = [new TextDecoder(), [] as { text: string; writing: number }[]];
    for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
      arrivals.push({ text: decoder.decode(part), writing: upstream.active });
    }
    const first = arrivals.find(({ text }) => text.includes('word-0'));
    expect(first?.writing).toBe(1);
    // Each word by itself: a buffer would gather some of them.
    expect(arrivals.filter(({ text, writing }) => text.includes('word-') && writing === 1).length).toBeGreaterThan(10);
  });

  it('the model stops when the reader goes', async () => {
    upstream.expect({ content: WORDS, delayMs: 500 });
    const response = await ask();
    const reader = response.body?.getReader();
    await until(() => upstream.active === 1);
    await reader?.cancel();
    await until(() => upstream.active === 0);
  });

  it('the audit log has the address of the client, which no client can choose', async () => {
    const answer = await fetch(`${url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.9' },
      body: JSON.stringify({ api_key: app.adminKey }),
    });
    expect(answer.status).toBe(200);
    const direct = await app.api(
      'POST',
      '/api/v1/session',
      { api_key: app.adminKey },
      { 'x-forwarded-for': '203.0.113.7' },
    );
    expect(direct.status).toBe(200);
    const rows = await app
      .get(DataSource)
      .query(`SELECT ip FROM audit_entries WHERE action = 'session.create' ORDER BY at, id`);
    expect(rows.map(({ ip }: { ip: string }) => ip.replace('::ffff:', ''))).toEqual(['127.0.0.1', '203.0.113.7']);
  });

  it('the secret of a proxy does not pass from outside', async () => {
    const headers = { authorization: `Bearer ${app.adminKey}`, 'x-bellwether-proxy-secret': 'canary-proxy-secret' };
    expect((await fetch(`${url}/api/v1/me`, { headers })).status).toBe(200);
    const wrong = { ...headers, 'x-bellwether-proxy-secret': 'wrong' };
    expect((await fetch(`${url}/api/v1/me`, { headers: wrong })).status).toBe(200);
    expect((await fetch(`${app.url}/api/v1/me`, { headers: wrong })).status).toBe(403);
  });

  it('only the pages of sign-in of Keycloak are reached', async () => {
    expect((await fetch(`${url}/keycloak/realms/bellwether/account`)).status).toBe(502);
    expect((await fetch(`${url}/keycloak/admin/`)).status).toBe(404);
  });

  it('the whole configuration of the container is one that nginx takes', () => {
    const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
    const subject = ['-subj', '/CN=learn.example.edu', '-days', '1'];
    const files = ['-keyout', key, '-out', certificate];
    expect(spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files, ...subject]).status).toBe(
      0,
    );
    const template = readFileSync(join(DOCKER, 'nginx/default.conf.template'), 'utf8')
      .replaceAll('${PUBLIC_HOST}', 'learn.example.edu')
      .replaceAll('/etc/nginx/tls', folder)
      .replaceAll('/etc/nginx/bellwether', join(DOCKER, 'nginx'))
      // The names of containers, which resolve there only, and what Debian's older nginx calls otherwise.
      .replace('bellwether:3000', '127.0.0.1:3000')
      .replace('keycloak:8080', '127.0.0.1:8080')
      .replace('http2 on;', '');
    writeFileSync(join(folder, 'container.conf'), http(template));
    const { status, stderr } = spawnSync(NGINX ?? '', ['-t', '-p', folder, '-c', join(folder, 'container.conf')]);
    expect([status, stderr.toString()]).toEqual([0, expect.stringContaining('test is successful')]);
  });
});
