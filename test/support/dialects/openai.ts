import type { VendorAnswer, VendorQuestion, VendorTurn } from '../../../src/connectors/testing/scripted-vendor.types';
import {
  argumentPieces,
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

const ID = 'chatcmpl-scripted';
const CREATED = 1_760_000_000;

const modelOf = (answer: VendorAnswer, { body }: UpstreamRequest): string => answer.model ?? body.model ?? 'scripted';

const callsOf = ({ toolCalls = [] }: VendorAnswer) =>
  toolCalls.map((call, index) => ({
    id: call.id ?? `call_${index}`,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }));

function whole(answer: VendorAnswer, request: UpstreamRequest): object {
  const calls = callsOf(answer);
  const message = {
    role: 'assistant',
    content: answer.content ?? null,
    refusal: null,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    id: ID,
    object: 'chat.completion',
    created: CREATED,
    model: modelOf(answer, request),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(answer) }],
    usage: answer.usage ?? SCRIPTED_USAGE,
  };
}

/** The chunks of a stream (API reference, "The chat completion chunk object"). */
export function chunkBodies(answer: VendorAnswer, request: UpstreamRequest): readonly object[] {
  const { include_usage: withUsage } = objectOf(request.body.stream_options);
  const head = { id: ID, object: 'chat.completion.chunk', created: CREATED, model: modelOf(answer, request) };
  const usage = withUsage === true ? { usage: null } : {};
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    ...usage,
  });
  const calls = callsOf(answer);
  return [
    chunk({ role: 'assistant', content: calls.length > 0 ? null : '' }),
    ...piecesOf(answer).map((content) => chunk({ content })),
    ...argumentPieces(answer).flatMap(({ call: index, text, first }) => {
      const call = calls[index];
      const head = { index, ...call, function: { name: call?.function.name, arguments: '' } };
      const piece = chunk({ tool_calls: [{ index, function: { arguments: text } }] });
      return first ? [chunk({ tool_calls: [head] }), piece] : [piece];
    }),
    chunk({}, finishOf(answer)),
    ...(withUsage === true ? [{ ...head, choices: [], usage: answer.usage ?? SCRIPTED_USAGE }] : []),
  ];
}

const event = (data: string): string => `data: ${data}\n\n`;

function turnOf(message: Readonly<Record<string, unknown>>): VendorTurn {
  const { role, content } = message;
  const parts = listOf(content);
  const text = typeof content === 'string' ? content : parts.map((part) => stringOf(part['text'])).join('');
  const images = parts.flatMap(({ image_url: image }) => {
    const [, mediaType, base64] = /^data:([^;]+);base64,(.*)$/.exec(stringOf(objectOf(image)['url'])) ?? [];
    return mediaType === undefined || base64 === undefined ? [] : [{ mediaType, base64 }];
  });
  const calls = listOf(message['tool_calls']).map((call) => {
    const called = objectOf(call['function']);
    return {
      id: stringOf(call['id']),
      name: stringOf(called['name']),
      arguments: JSON.parse(stringOf(called['arguments'])) as unknown,
    };
  });
  if (role === 'tool') {
    const results = [{ id: stringOf(message['tool_call_id']), name: null, content: text }];
    return { role: 'tool', text: '', images: [], calls: [], results };
  }
  return { role: role === 'assistant' ? 'assistant' : 'user', text, images, calls, results: [] };
}

function choiceOf(choice: unknown): VendorQuestion['choice'] {
  if (choice === 'none' || choice === 'required') return choice;
  const name = stringOf(objectOf(objectOf(choice)['function'])['name']);
  return name === '' ? 'auto' : { name };
}

function question({ body }: UpstreamRequest): VendorQuestion {
  const messages = listOf(body.messages);
  const isSystem = ({ role }: Readonly<Record<string, unknown>>): boolean => role === 'system' || role === 'developer';
  return {
    model: body.model ?? '',
    stream: body.stream === true,
    system: messages
      .filter(isSystem)
      .map((message) => turnOf(message).text)
      .join('\n\n'),
    turns: messages.filter((message) => !isSystem(message)).map(turnOf),
    functions: listOf(body['tools']).map(({ function: declared }) => ({
      name: stringOf(objectOf(declared)['name']),
      description: stringOf(objectOf(declared)['description']),
      parameters: objectOf(objectOf(declared)['parameters']),
    })),
    choice: choiceOf(body['tool_choice']),
    temperature: numberOf(body['temperature']),
    maxTokens: numberOf(body['max_completion_tokens']) ?? numberOf(body['max_tokens']),
  };
}

/** OpenAI's chat completions API. */
export const OPENAI: Dialect = {
  name: 'openai',
  basePath: '/v1',
  streamType: 'text/event-stream',
  serves: (path) => path.endsWith('/chat/completions'),
  streams: ({ body }) => body.stream === true,
  question,
  whole,
  frames: (answer, request) => [
    ...chunkBodies(answer, request).map((chunk) => event(JSON.stringify(chunk))),
    event('[DONE]'),
  ],
  refusal: ({ message, type, code }) => ({ error: { message, type, param: null, code } }),
  errorFrame: (message) => event(JSON.stringify({ error: { message, type: 'server_error', code: null } })),
};
