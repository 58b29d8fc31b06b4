import type { VendorAnswer, VendorQuestion, VendorTurn } from '../../../src/connectors/testing/scripted-vendor.types';
import {
  finishOf,
  listOf,
  numberOf,
  objectOf,
  piecesOf,
  SCRIPTED_USAGE,
  stringOf,
  type Dialect,
} from '../upstream-dialect';
import type { UpstreamRequest } from '../upstream.types';

const line = (body: object): string => `${JSON.stringify(body)}\n`;

const headOf = (answer: VendorAnswer, { body }: UpstreamRequest) => ({
  model: answer.model ?? body.model ?? 'scripted',
  created_at: '2026-01-01T00:00:00.000000Z',
});

/** A call has no id, and its arguments are an object. */
const callsOf = ({ toolCalls = [] }: VendorAnswer) =>
  toolCalls.map(({ name, arguments: text }) => ({ function: { name, arguments: JSON.parse(text) as unknown } }));

function endOf(answer: VendorAnswer) {
  const usage = answer.usage ?? SCRIPTED_USAGE;
  return {
    done: true,
    // Ollama says "stop" for calls too.
    done_reason: finishOf(answer) === 'length' ? 'length' : 'stop',
    total_duration: 4_935_886_791,
    load_duration: 534_986_708,
    prompt_eval_count: usage.prompt_tokens,
    prompt_eval_duration: 107_345_000,
    eval_count: usage.completion_tokens,
    eval_duration: 4_289_432_000,
  };
}

function whole(answer: VendorAnswer, request: UpstreamRequest): object {
  const calls = callsOf(answer);
  const message = {
    role: 'assistant',
    content: answer.content ?? '',
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return { ...headOf(answer, request), message, ...endOf(answer) };
}

/** Every call comes whole in a line of its own (ollama.com/blog/streaming-tool). */
function frames(answer: VendorAnswer, request: UpstreamRequest): readonly string[] {
  const head = headOf(answer, request);
  const part = (message: object) =>
    line({ ...head, message: { role: 'assistant', content: '', ...message }, done: false });
  return [
    ...piecesOf(answer).map((content) => part({ content })),
    ...callsOf(answer).map((call) => part({ tool_calls: [call] })),
    line({ ...head, message: { role: 'assistant', content: '' }, ...endOf(answer) }),
  ];
}

function turnOf(message: Readonly<Record<string, unknown>>): VendorTurn {
  const role = stringOf(message['role']);
  const text = stringOf(message['content']);
  const images = Array.isArray(message['images'])
    ? message['images'].map((base64: unknown) => ({ mediaType: null, base64: stringOf(base64) }))
    : [];
  const calls = listOf(message['tool_calls']).map((call) => {
    const called = objectOf(call['function']);
    const given = called['arguments'];
    // The server reads them into a map: anything else is a request that it refuses.
    if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new Error('arguments: no object');
    return { id: null, name: stringOf(called['name']), arguments: given };
  });
  if (role === 'tool') {
    const results = [{ id: null, name: stringOf(message['tool_name']), content: text }];
    return { role: 'tool', text: '', images: [], calls: [], results };
  }
  return { role: role === 'assistant' ? 'assistant' : 'user', text, images, calls, results: [] };
}

function question({ body }: UpstreamRequest): VendorQuestion {
  const messages = listOf(body.messages);
  const options = objectOf(body['options']);
  return {
    model: body.model ?? '',
    stream: body.stream !== false,
    system: messages
      .filter(({ role }) => role === 'system')
      .map(({ content }) => stringOf(content))
      .join('\n\n'),
    turns: messages.filter(({ role }) => role !== 'system').map(turnOf),
    functions: listOf(body['tools']).map(({ function: declared }) => ({
      name: stringOf(objectOf(declared)['name']),
      description: stringOf(objectOf(declared)['description']),
      parameters: objectOf(objectOf(declared)['parameters']),
    })),
    choice: 'auto',
    temperature: numberOf(options['temperature']),
    maxTokens: numberOf(options['num_predict']),
  };
}

/** Ollama's native chat API (ollama/docs/api.md, "Generate a chat completion"). */
export const OLLAMA: Dialect = {
  name: 'ollama',
  basePath: '',
  streamType: 'application/x-ndjson',
  serves: (path) => path === '/api/chat',
  streams: ({ body }) => body.stream !== false,
  question,
  whole,
  frames,
  refusal: ({ message }) => ({ error: message }),
  errorFrame: (message) => line({ error: message }),
};
