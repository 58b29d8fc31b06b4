// A model vendor that asks for functions: as many calls and rounds as the question says, then an answer. It counts a token
// for four characters of what it is sent and of what it says.
import { createServer } from 'node:http';
import { serveCommands } from '../lib/rpc.mjs';

const ANSWER_PIECES = 60;
const tokensOf = (text) => Math.ceil(text.length / 4);

const frame = (delta, finish_reason = null) =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-4o-mini',
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  })}\n\n`;

const argumentsOf = (round, index) =>
  JSON.stringify({ topic: `topic ${round}.${index}`, depth: 'the chapter and the exercises behind it' });

function callFrames(round, calls) {
  const frames = [frame({ role: 'assistant', content: null })];
  for (let index = 0; index < calls; index++) {
    const id = `call_${round}_${index}`;
    frames.push(frame({ tool_calls: [{ index, id, type: 'function', function: { name: 'lookup', arguments: '' } }] }));
    const text = argumentsOf(round, index);
    for (let at = 0; at < text.length; at += 5)
      frames.push(frame({ tool_calls: [{ index, function: { arguments: text.slice(at, at + 5) } }] }));
  }
  return [...frames, frame({}, 'tool_calls')];
}

const piece = (n) => ` word ${n} of an answer`;
const answer = Array.from({ length: ANSWER_PIECES }, (_, n) => piece(n)).join('');

const answerFrames = () => [
  frame({ role: 'assistant', content: '' }),
  ...Array.from({ length: ANSWER_PIECES }, (_, n) => frame({ content: piece(n) })),
  frame({}, 'stop'),
];

const server = createServer(async (request, response) => {
  let text = '';
  for await (const part of request) text += part;
  const { messages, tools } = JSON.parse(text);
  const wanted = Number(/rounds: (\d+)/.exec(text)?.[1] ?? 0);
  const made = messages.filter(({ role, tool_calls }) => role === 'assistant' && tool_calls).length;
  const calls = Number(/calls: (\d+)/.exec(text)?.[1] ?? 0);
  const asks = tools !== undefined && made < wanted;
  const frames = asks ? callFrames(made, calls) : answerFrames();
  const usage = {
    prompt_tokens: tokensOf(JSON.stringify({ messages, tools })),
    completion_tokens: asks ? calls * tokensOf(`lookup ${argumentsOf(made, 0)}`) : tokensOf(answer),
  };
  usage.total_tokens = usage.prompt_tokens + usage.completion_tokens;
  const last = `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o-mini', choices: [], usage })}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`${frames.join('')}${last}data: [DONE]\n\n`);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => serveCommands({ port: () => server.address().port }));
