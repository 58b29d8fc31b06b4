import type {
  VendorAnswer,
  VendorImage,
  VendorQuestion,
  VendorTurn,
} from '../../../src/connectors/testing/scripted-vendor.types';
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

type Loose = Readonly<Record<string, unknown>>;

const STOP_REASONS: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

const event = (data: { readonly type: string; readonly [member: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

const callsOf = ({ toolCalls = [] }: VendorAnswer) =>
  toolCalls.map(({ id, name, arguments: text }, index) => ({ id: id ?? `toolu_${index}`, name, text }));

const usageOf = ({ usage = SCRIPTED_USAGE }: VendorAnswer) => ({
  input_tokens: usage.prompt_tokens,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: usage.completion_tokens,
});

const messageOf = (answer: VendorAnswer, { body }: UpstreamRequest) => ({
  id: 'msg_scripted',
  type: 'message',
  role: 'assistant',
  model: answer.model ?? body.model ?? 'scripted',
});

function whole(answer: VendorAnswer, request: UpstreamRequest): object {
  const text = answer.content ?? '';
  return {
    ...messageOf(answer, request),
    content: [
      ...(text === '' ? [] : [{ type: 'text', text, citations: null }]),
      ...callsOf(answer).map(({ id, name, text: args }) => ({
        type: 'tool_use',
        id,
        name,
        input: JSON.parse(args) as unknown,
      })),
    ],
    stop_reason: STOP_REASONS[finishOf(answer)],
    stop_sequence: null,
    usage: usageOf(answer),
  };
}

/** The events of a block; blocks never interleave. */
const blockEvents = (index: number, start: object, deltas: readonly object[]): readonly string[] => [
  event({ type: 'content_block_start', index, content_block: start }),
  ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
  event({ type: 'content_block_stop', index }),
];

const cut = (text: string, size: number | undefined): readonly string[] =>
  size === undefined ? [text] : (text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? ['']);

function frames(answer: VendorAnswer, request: UpstreamRequest): readonly string[] {
  const pieces = piecesOf(answer);
  const usage = usageOf(answer);
  const start = { ...messageOf(answer, request), content: [], stop_reason: null, stop_sequence: null };
  const text = pieces.map((piece) => ({ type: 'text_delta', text: piece }));
  const textBlocks = text.length === 0 ? [] : blockEvents(0, { type: 'text', text: '' }, text);
  const first = text.length === 0 ? 0 : 1;
  return [
    event({ type: 'message_start', message: { ...start, usage: { ...usage, output_tokens: 1 } } }),
    event({ type: 'ping' }),
    ...textBlocks,
    ...callsOf(answer).flatMap(({ id, name, text: args }, index) =>
      blockEvents(
        first + index,
        { type: 'tool_use', id, name, input: {} },
        ['', ...cut(args, answer.argumentPieces)].map((json) => ({ type: 'input_json_delta', partial_json: json })),
      ),
    ),
    event({
      type: 'message_delta',
      delta: { stop_reason: STOP_REASONS[finishOf(answer)], stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    }),
    event({ type: 'message_stop' }),
  ];
}

const textIn = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .filter(({ type }) => type === 'text')
        .map(({ text }) => stringOf(text))
        .join('');

const imagesIn = (blocks: readonly Loose[]): readonly VendorImage[] =>
  blocks
    .filter(({ type }) => type === 'image')
    .map(({ source }) => ({
      mediaType: stringOf(objectOf(source)['media_type']),
      base64: stringOf(objectOf(source)['data']),
    }));

/** A user's turn may hold results and then words: two turns in no vendor's words. */
function turnsOf(message: Loose): readonly VendorTurn[] {
  const blocks = listOf(message['content']);
  const results = blocks
    .filter(({ type }) => type === 'tool_result')
    .map(({ tool_use_id: id, content }) => ({ id: stringOf(id), name: null, content: textIn(content) }));
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }) => ({ id: stringOf(id), name: stringOf(name), arguments: input }));
  const role = message['role'] === 'assistant' ? ('assistant' as const) : ('user' as const);
  const spoken = { role, text: textIn(message['content']), images: imagesIn(blocks), calls, results: [] };
  const silent = spoken.text === '' && spoken.images.length === 0 && calls.length === 0;
  return [
    ...(results.length === 0 ? [] : [{ role: 'tool' as const, text: '', images: [], calls: [], results }]),
    ...(silent && results.length > 0 ? [] : [spoken]),
  ];
}

function choiceOf(choice: Loose): VendorQuestion['choice'] {
  if (choice['type'] === 'tool') return { name: stringOf(choice['name']) };
  if (choice['type'] === 'none') return 'none';
  return choice['type'] === 'any' ? 'required' : 'auto';
}

function question({ body, headers }: UpstreamRequest): VendorQuestion {
  if (headers['anthropic-version'] === undefined) throw new Error('anthropic-version: header is required');
  if (typeof body['max_tokens'] !== 'number') throw new Error('max_tokens: Field required');
  const messages = listOf(body.messages);
  const roles = messages.map(({ role }) => role);
  if (roles.some((role) => role !== 'user' && role !== 'assistant')) throw new Error('messages: unexpected role');
  return {
    model: body.model ?? '',
    stream: body.stream === true,
    system: textIn(body['system']),
    turns: messages.flatMap(turnsOf),
    functions: listOf(body['tools']).map((tool) => ({
      name: stringOf(tool['name']),
      description: stringOf(tool['description']),
      parameters: objectOf(tool['input_schema']),
    })),
    choice: choiceOf(objectOf(body['tool_choice'])),
    temperature: numberOf(body['temperature']),
    maxTokens: numberOf(body['max_tokens']),
  };
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** Anthropic's Messages API (platform.claude.com/docs/en/api/messages, …/build-with-claude/streaming). */
export const ANTHROPIC: Dialect = {
  name: 'anthropic',
  basePath: '',
  streamType: 'text/event-stream; charset=utf-8',
  serves: (path) => path.endsWith('/v1/messages'),
  streams: ({ body }) => body.stream === true,
  question,
  whole,
  frames,
  refusal: ({ status, message }) => ({
    type: 'error',
    error: { type: ERROR_TYPES[status] ?? 'api_error', message },
    request_id: 'req_scripted',
  }),
  errorFrame: (message) => event({ type: 'error', ...{ error: { type: 'overloaded_error', message } } }),
};
