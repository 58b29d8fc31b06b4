// A model vendor that speaks OpenAI's protocol and answers by script: what the question says decides what comes.
//   node web/e2e/support/vendor.mjs [port]
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const RICH = `## An answer

Osmosis moves **water** through a membrane [1], with the pressure $\\pi = i c R T$ [2].

| solution | water moves |
| --- | --- |
| hypertonic | out |
| hypotonic | in |

\`\`\`python
print("done")
\`\`\`
`;
const HOSTILE = `<img src=x onerror="alert(1)"> [click](javascript:alert(2)) ![pixel](https://tracker.example/p.png) <iframe src="https://evil.example"></iframe>
<style>body{display:none}</style> <form action="https://evil.example"><input name="a"></form> $\\href{javascript:alert(3)}{x}$ [1]`;

/** `slow` streams one word every 100 ms; `long` sends 2,000 words; `fail` answers 500; `repeat` comes back. */
function scriptOf(question) {
  if (question.includes('repeat')) return { text: question, delay: 1 };
  if (question.includes('hostile')) return { text: HOSTILE, delay: 1 };
  if (question.includes('long'))
    return { text: Array.from({ length: 2000 }, (_, n) => `word${n}`).join(' '), delay: 2 };
  if (question.includes('slow'))
    return { text: Array.from({ length: 100 }, (_, n) => `step${n}`).join(' '), delay: 100 };
  return { text: RICH, delay: 5 };
}

const textOf = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join(' ');

async function answer(request, response, seen) {
  let body = '';
  for await (const chunk of request) body += chunk;
  if (request.url.endsWith('/models')) {
    response.setHeader('Content-Type', 'application/json');
    return response.end(JSON.stringify({ object: 'list', data: [{ id: 'gpt-4o-mini', object: 'model' }] }));
  }
  const asked = JSON.parse(body);
  if (request.url.endsWith('/rerank')) {
    response.setHeader('Content-Type', 'application/json');
    return response.end(JSON.stringify(asked.texts.map((_, index) => ({ index, score: 1 / (index + 1) }))));
  }
  const question = textOf(asked.messages.at(-1)?.content);
  const call = { question, aborted: false };
  seen.push(call);
  response.on('close', () => (call.aborted = !response.writableFinished));
  if (question.includes('fail')) {
    response.statusCode = 500;
    return response.end('{"error":{"message":"out of order"}}');
  }
  const { text, delay } = scriptOf(question);
  const head = { id: 'chatcmpl-e2e', created: 1, model: asked.model };
  const usage = { prompt_tokens: 120, completion_tokens: 42, total_tokens: 162 };
  if (asked.stream !== true) {
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }];
    response.setHeader('Content-Type', 'application/json');
    return response.end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage }));
  }
  response.setHeader('Content-Type', 'text/event-stream');
  const send = (choices, rest = {}) =>
    response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...rest })}\n\n`);
  for (const word of text.split(/(?<= )/)) {
    if (response.destroyed) return;
    send([{ index: 0, delta: { content: word }, finish_reason: null }]);
    await sleep(delay);
  }
  send([{ index: 0, delta: {}, finish_reason: 'stop' }]);
  send([], { usage });
  response.end('data: [DONE]\n\n');
}

/** Listens on loopback; `seen` holds every call with its question and whether it was cut off. */
export async function startVendor(port = 0) {
  const seen = [];
  const server = createServer((request, response) => {
    answer(request, response, seen).catch(() => response.destroy());
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    seen,
    stop: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const vendor = await startVendor(Number(process.argv[2] ?? 3199));
  console.log(vendor.url);
}
