import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { answerUnreadableRequests } from './to-app-error';

let server: Server;
beforeAll(async () => {
  server = createServer((_request, response) => response.end('fine'));
  answerUnreadableRequests(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

async function answerTo(request: string): Promise<{ head: string; body: Record<string, unknown> }> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(request, 'latin1');
  const answer = await text(socket);
  const [head = '', body = ''] = answer.split('\r\n\r\n').slice(-2);
  return { head, body: JSON.parse(body) as Record<string, unknown> };
}

describe('a request that is not valid HTTP', () => {
  it.each<[string, string, number, string]>([
    ['an illegal byte in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX-A: a\u0001b\r\n\r\n', 400, 'bad_request'],
    ['no HTTP at all', 'hello\r\n\r\n', 400, 'bad_request'],
    ['headers of 100 kB', `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(100_000)}\r\n\r\n`, 431, 'bad_request'],
  ])('with %s is answered as a problem', async (_, request, status, code) => {
    const { head, body } = await answerTo(request);
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} .*\r\nContent-Type: application/problem\\+json`));
    expect(body).toMatchObject({ status, code, type: `urn:bellwether:error:${code}`, request_id: expect.any(String) });
  });

  it('after a good one on the same connection is answered, too', async () => {
    const { head } = await answerTo('GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nBad\u0001Name: 1\r\n\r\n');
    expect(head).toContain('application/problem+json');
  });
});
