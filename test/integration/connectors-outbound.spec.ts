import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../../src/infrastructure/config';
import { OutboundClient, type ResolveHost } from '../../src/infrastructure/outbound';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Names of the tests' own zone; everything else is looked up nowhere. */
type Zone = Record<string, readonly string[] | (() => readonly string[])>;

const resolver =
  (zone: Zone): ResolveHost =>
  (hostname, _options, callback) => {
    const entry = zone[hostname.replace(/\.$/, '')] ?? [];
    const addresses = typeof entry === 'function' ? entry() : entry;
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    setImmediate(() => (found.length > 0 ? callback(null, found) : callback(notFound(hostname), [])));
  };

const notFound = (hostname: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' });

const clients: OutboundClient[] = [];
const client = (allow: readonly string[] = [], zone: Zone = {}): OutboundClient => {
  const made = new OutboundClient({ outbound: { allow } } as unknown as Config, resolver(zone));
  clients.push(made);
  return made;
};

describe('outbound requests', () => {
  let honeypot: Server;
  let port: number;
  let hits: IncomingMessage[];
  let handler: Handler;

  beforeAll(async () => {
    honeypot = createServer((request, response) => {
      hits.push(request);
      handler(request, response);
    });
    await new Promise<void>((done) => honeypot.listen(0, '0.0.0.0', done));
    port = (honeypot.address() as AddressInfo).port;
  });
  beforeEach(() => {
    hits = [];
    handler = (_, response) => void response.end('secret');
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((made) => made.onModuleDestroy()));
  });
  afterAll(async () => {
    honeypot.closeAllConnections();
    await new Promise((done) => honeypot.close(done));
  });

  const SPELLINGS = [
    'http://127.0.0.1:PORT/',
    'http://127.1:PORT/',
    'http://127.0.1:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f000001:PORT/',
    'http://0x7f.0x0.0x0.0x1:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://017700000001:PORT/',
    'http://127.0.0.1.:PORT/',
    'http://127.255.255.254:PORT/',
    'http://①②⑦.⓪.⓪.①:PORT/',
    'http://127。0。0。1:PORT/',
    'http://0.0.0.0:PORT/',
    'http://0:PORT/',
    'http://[::1]:PORT/',
    'http://[0:0:0:0:0:0:0:1]:PORT/',
    'http://[::]:PORT/',
    'http://[::127.0.0.1]:PORT/',
    'http://[::7f00:1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[0:0:0:0:0:ffff:7f00:0001]:PORT/',
    'http://[::ffff:a9fe:a9fe]/latest/meta-data/',
    'http://[::ffff:0:127.0.0.1]:PORT/',
    'http://[64:ff9b::127.0.0.1]:PORT/',
    'http://[64:ff9b::7f00:1]:PORT/',
    'http://[64:ff9b:1::7f00:1]:PORT/',
    'http://[2002:7f00:1::]:PORT/',
    'http://[2001:0:7f00:1::]:PORT/',
    'http://[fe80::1]:PORT/',
    'http://[fc00::1]:PORT/',
    'http://[fec0::1]:PORT/',
    'http://[ff02::1]:PORT/',
    'http://[2001:db8::1]:PORT/',
    'http://[100::1]:PORT/',
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/latest/meta-data/',
    'http://0xa9fea9fe/latest/meta-data/',
    'http://10.0.0.1:PORT/',
    'http://172.16.0.1:PORT/',
    'http://172.31.255.255:PORT/',
    'http://192.168.1.1:PORT/',
    'http://100.64.0.1:PORT/',
    'http://192.0.0.1:PORT/',
    'http://198.18.0.1:PORT/',
    'http://192.0.2.1:PORT/',
    'http://224.0.0.1:PORT/',
    'http://240.0.0.1:PORT/',
    'http://255.255.255.255:PORT/',
    'http://localhost:PORT/',
    'http://LOCALHOST:PORT/',
    'http://localhost.:PORT/',
    'http://localhost..:PORT/',
    'http://any.localhost:PORT/',
    'http://printer.local:PORT/',
    'http://metadata.google.internal/',
    'http://inward.example:PORT/',
    'http://inward.example.:PORT/',
    'http://inward6.example:PORT/',
    'http://mapped.example:PORT/',
    'http://nat64.example:PORT/',
    'http://user:pass@127.0.0.1:PORT/',
    'http://api.example@127.0.0.1:PORT/',
    'http://api.example:80@127.0.0.1:PORT/',
    'http://user@api.example/',
    'https://127.0.0.1:PORT/',
    'ftp://127.0.0.1:PORT/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:PORT/_GET',
    'data:text/plain,secret',
    'unix:/run/docker.sock',
    '//127.0.0.1:PORT/',
    'http:///127.0.0.1:PORT/',
    'http:\\\\127.0.0.1:PORT/',
    'http://127.0.0.1:PORT#@api.example/',
    'http://[fe80::1%25eth0]:PORT/',
    'http://[::1/',
    '',
  ];

  const INWARD: Zone = {
    localhost: ['127.0.0.1', '::1'],
    'localhost.': ['127.0.0.1'],
    'any.localhost': ['127.0.0.1'],
    'printer.local': ['127.0.0.1'],
    'metadata.google.internal': ['169.254.169.254'],
    'inward.example': ['127.0.0.1'],
    'inward6.example': ['::1'],
    'mapped.example': ['::ffff:127.0.0.1'],
    'nat64.example': ['64:ff9b::7f00:1'],
  };

  it.each(SPELLINGS)('refuses %j at save and at use, and the machine itself sees no connection', async (spelling) => {
    const url = spelling.replace('PORT', String(port));
    const outbound = client([], INWARD);
    await expect(outbound.assertDialable(url)).rejects.toMatchObject({ code: 'outbound_refused' });
    await expect(outbound.request({ url, timeoutMs: 2_000 })).rejects.toMatchObject({ code: 'outbound_refused' });
    expect(hits).toHaveLength(0);
  });

  it('refuses addresses inside the streaming dispatcher too, where no lookup happens', async () => {
    const request = client()
      .dispatcher(false)
      .request({ origin: `http://127.0.0.1:${port}`, path: '/', method: 'GET' });
    await expect(request).rejects.toMatchObject({ code: 'ESSRF' });
    expect(hits).toHaveLength(0);
  });

  it('refuses a name that pointed outside when it was saved and inside when it is used', async () => {
    let inward = false;
    const outbound = client([], { 'rebinding.example': () => [inward ? '127.0.0.1' : '93.184.216.34'] });
    const url = `http://rebinding.example:${port}/`;
    await outbound.assertDialable(url);
    inward = true;
    await expect(outbound.request({ url })).rejects.toMatchObject({ code: 'outbound_refused' });
    expect(hits).toHaveLength(0);
  });

  it('refuses a name none of whose several addresses is public', async () => {
    const outbound = client([], { 'mixed.example': ['127.0.0.1', '192.0.2.7'] });
    const request = outbound.request({ url: `http://mixed.example:${port}/`, timeoutMs: 500 });
    await expect(request).rejects.toMatchObject({ code: 'outbound_refused' });
    expect(hits).toHaveLength(0);
  });

  it.each([['127.0.0.1'], ['127.0.0.0/8'], ['127.0.0.1:PORT'], ['campus.example'], ['CAMPUS.example.:PORT']])(
    'reaches a private address that the operator allowed as %j',
    async (entry) => {
      const outbound = client([entry.replace('PORT', String(port))], { 'campus.example': ['127.0.0.1'] });
      const host = /[a-z]/i.test(entry.replace('PORT', '')) ? 'campus.example' : '127.0.0.1';
      const url = `http://${host}:${port}/`;
      await outbound.assertDialable(url);
      await expect(outbound.request({ url })).resolves.toMatchObject({ status: 200, text: 'secret' });
    },
  );

  it.each([['127.0.0.1:1'], ['127.0.0.2'], ['10.0.0.0/8'], ['example'], ['notcampus.example']])(
    'allows nothing more than the operator wrote (%j)',
    async (entry) => {
      const outbound = client([entry], { 'campus.example': ['127.0.0.1'] });
      for (const host of ['127.0.0.1', 'campus.example']) {
        const request = outbound.request({ url: `http://${host}:${port}/` });
        await expect(request).rejects.toMatchObject({ code: 'outbound_refused' });
      }
      expect(hits).toHaveLength(0);
    },
  );

  it('reaches private addresses for the operator’s own URLs, still only over http', async () => {
    const outbound = client();
    const answer = await outbound.request({ url: `http://127.0.0.1:${port}/`, trusted: true });
    expect(answer.text).toBe('secret');
    const file = outbound.request({ url: 'file:///etc/passwd', trusted: true });
    await expect(file).rejects.toMatchObject({ code: 'outbound_refused' });
  });

  describe('redirects', () => {
    const redirectTo =
      (location: string, status = 302): Handler =>
      (request, response) =>
        request.url === '/start'
          ? void response.writeHead(status, { location }).end()
          : void response.end(JSON.stringify({ method: request.method, headers: request.headers }));

    it.each([['http://127.0.0.1:PORT/next'], ['http://169.254.169.254/'], ['http://[::ffff:7f00:1]:PORT/']])(
      'refuses an allowed host that redirects inward to %s',
      async (location) => {
        handler = redirectTo(location.replace('PORT', String(port)));
        const outbound = client(['campus.example'], { 'campus.example': ['127.0.0.1'] });
        const request = outbound.request({ url: `http://campus.example:${port}/start` });
        await expect(request).rejects.toMatchObject({ code: 'outbound_refused' });
        expect(hits).toHaveLength(1);
      },
    );

    it('does not carry trust in the operator’s URL to another origin', async () => {
      handler = redirectTo(`http://localhost:${port}/next`);
      const request = client([], INWARD).request({ url: `http://127.0.0.1:${port}/start`, trusted: true });
      await expect(request).rejects.toMatchObject({ code: 'outbound_refused' });
      expect(hits).toHaveLength(1);
    });

    it('drops every credential on the way to another origin', async () => {
      handler = redirectTo(`http://other.example:${port}/next`);
      const zone = { 'one.example': ['127.0.0.1'], 'other.example': ['127.0.0.1'] };
      const answer = await client(['one.example', 'other.example'], zone).request({
        url: `http://one.example:${port}/start`,
        headers: {
          authorization: 'Bearer sk-1',
          cookie: 'a=b',
          'x-api-key': 'k',
          'x-token': 't',
          accept: 'text/plain',
        },
      });
      const { headers } = JSON.parse(answer.text) as { headers: Record<string, string> };
      expect(headers).not.toHaveProperty('authorization');
      expect(headers).not.toHaveProperty('cookie');
      expect(headers).not.toHaveProperty('x-api-key');
      expect(headers).not.toHaveProperty('x-token');
      expect(headers).toMatchObject({ accept: 'text/plain', host: `other.example:${port}` });
    });

    it('keeps credentials within the origin and turns a POST into a GET', async () => {
      handler = redirectTo('/next', 303);
      const answer = await client().request({
        url: `http://127.0.0.1:${port}/start`,
        method: 'POST',
        body: '{}',
        headers: { authorization: 'Bearer sk-1' },
        trusted: true,
      });
      expect(JSON.parse(answer.text)).toMatchObject({ method: 'GET', headers: { authorization: 'Bearer sk-1' } });
    });

    it('gives up after three', async () => {
      handler = (_, response) => void response.writeHead(302, { location: '/again' }).end();
      const request = client().request({ url: `http://127.0.0.1:${port}/start`, trusted: true });
      await expect(request).rejects.toMatchObject({ code: 'upstream_error' });
      expect(hits).toHaveLength(4);
    });
  });

  describe('limits', () => {
    it('cuts a body that is larger than the cap, stated or not', async () => {
      handler = (_, response) => {
        const interval = setInterval(() => response.write('x'.repeat(60_000)), 1);
        response.on('close', () => clearInterval(interval));
      };
      const url = `http://127.0.0.1:${port}/`;
      const endless = client().request({ url, maxBytes: 100_000, trusted: true });
      await expect(endless).rejects.toMatchObject({ code: 'upstream_bad_response' });
      handler = (_, response) => void response.writeHead(200, { 'content-length': 200_000 }).end('x'.repeat(200_000));
      const stated = client().request({ url, maxBytes: 100_000, trusted: true });
      await expect(stated).rejects.toMatchObject({ code: 'upstream_bad_response' });
    });

    it('covers the body with the timeout', async () => {
      handler = (_, response) => {
        response.write('begun');
      };
      const started = performance.now();
      const request = client().request({ url: `http://127.0.0.1:${port}/`, timeoutMs: 150, trusted: true });
      await expect(request).rejects.toMatchObject({ code: 'upstream_timeout' });
      expect(performance.now() - started).toBeLessThan(10_000);
    });

    it('stops when the caller does', async () => {
      const abort = new AbortController();
      handler = () => abort.abort();
      const request = client().request({ url: `http://127.0.0.1:${port}/`, signal: abort.signal, trusted: true });
      await expect(request).rejects.toMatchObject({ code: 'cancelled' });
    });

    it('saves a URL whose name does not resolve here, and reports it at use', async () => {
      const outbound = client();
      await outbound.assertDialable('https://nowhere.example/v1');
      const request = outbound.request({ url: 'https://nowhere.example/v1' });
      await expect(request).rejects.toMatchObject({ code: 'upstream_error' });
    });
  });
});
