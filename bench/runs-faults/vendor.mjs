// A scripted vendor that knows which run a call belongs to, and when its socket was closed.
import { once } from 'node:events';
import { createServer } from 'node:http';

export const USAGE = { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 };
const MARK = /\[(\w+) words=(\d+) delay=(\d+)\]/;

/** What a run asks, so that the vendor answers with so many words, one every `delay` ms, and knows it again by its name. */
export const question = (name, { words, delay }) => `[${name} words=${words} delay=${delay}]`;

export const answerOf = (words) => Array.from({ length: words }, (_, n) => `w${n} `).join('');

export async function startVendor() {
  /** By the run's name: `{open, closedAt, path, times}`; monotonic milliseconds, and how often it was asked. */
  const calls = new Map();
  const server = createServer((request, response) => void serve(request, response, calls));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    calls,
    get open() {
      return [...calls.values()].filter(({ open }) => open).length;
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function serve(request, response, calls) {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += part;
  const [, name, words, delay] = MARK.exec(text) ?? [null, 'unknown', '1', '0'];
  const call = { open: true, closedAt: null, path: request.url, times: (calls.get(name)?.times ?? 0) + 1 };
  calls.set(name, call);
  response.once('close', () => Object.assign(call, { open: false, closedAt: performance.now() }));
  if (!JSON.parse(text).stream) return whole(response, Number(words), Number(delay));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const chunk = (delta, finish_reason = null, more = {}) =>
    response.write(
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`,
    );
  for (let n = 0; n < Number(words); n += 1) {
    if (response.destroyed) return;
    chunk({ content: `w${n} ` });
    await pause(Number(delay), response);
  }
  chunk({}, 'stop', { usage: USAGE });
  response.end('data: [DONE]\n\n');
}

/** The answer in one piece, as late as its stream would end. */
async function whole(response, words, delay) {
  await pause(words * delay, response);
  const message = { role: 'assistant', content: answerOf(words) };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  const body = { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage: USAGE };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const pause = (ms, response) =>
  new Promise((done) => {
    const settle = () => {
      clearTimeout(timer);
      response.off('close', settle);
      done();
    };
    const timer = setTimeout(settle, ms);
    response.once('close', settle);
  });

/** A knowledge-base server that never answers. */
export async function startHanging() {
  const server = createServer(() => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
