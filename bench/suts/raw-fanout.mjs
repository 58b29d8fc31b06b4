// The yardstick of fan-out: an event is made text once and written to every response as it is. It looks at nothing else.
import { createServer } from 'node:http';

const readers = new Set();
const runId = '0193b0a0-0000-7000-8000-000000000001';
let seq = 0;
let timer;

const frame = (type, more) => {
  seq += 1;
  const data = { run_id: runId, seq, at: new Date().toISOString(), type, ...more };
  return `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
};
const broadcast = (text) => {
  for (const reader of readers) reader.write(text);
};

const commands = {
  start({ everyMs, text }) {
    seq = 0;
    timer = setInterval(() => broadcast(frame('llm.delta', { text })), everyMs);
  },
  stop() {
    clearInterval(timer);
    broadcast(frame('run.cancelled', { reason: 'asked' }));
    for (const reader of readers) reader.end();
  },
};

const server = createServer({ noDelay: true }, (request, response) => {
  if (request.url === '/health') return response.end('ok');
  if (request.method === 'POST') {
    let body = '';
    request.on('data', (data) => (body += data));
    request.on('end', () => {
      commands[request.url.slice(1)](JSON.parse(body));
      response.end('ok');
    });
    return undefined;
  }
  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  });
  response.write(': stream open\n\n');
  readers.add(response);
  response.on('close', () => readers.delete(response));
  return undefined;
});

server.listen({ port: Number(process.env.PORT), host: '127.0.0.1', backlog: 4096 });
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
