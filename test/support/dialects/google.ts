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

type Loose = Readonly<Record<string, unknown>>;

const FINISH_REASONS: Readonly<Record<string, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  // Gemini ends a turn with calls like any other.
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
};

const CALL = /\/models\/([^/:]+):(generateContent|streamGenerateContent)(?:\?|$)/;
const modelOf = ({ path }: UpstreamRequest): string => decodeURIComponent(CALL.exec(path)?.[1] ?? '');

const event = (body: object): string => `data: ${JSON.stringify(body)}\r\n\r\n`;

/** Ids are for parallel calls of the Live API; here a call has none. */
const partsOf = ({ toolCalls = [], images = [] }: VendorAnswer): readonly object[] => [
  ...toolCalls.map(({ name, arguments: text }, index) => ({
    functionCall: { name, args: JSON.parse(text) as unknown },
    ...(index === 0 ? { thoughtSignature: 'c2NyaXB0ZWQ=' } : {}),
  })),
  ...images.map(({ mediaType, base64 }) => ({ inlineData: { mimeType: mediaType ?? 'image/png', data: base64 } })),
];

function tailOf(answer: VendorAnswer, request: UpstreamRequest) {
  const usage = answer.usage ?? SCRIPTED_USAGE;
  return {
    usageMetadata: {
      promptTokenCount: usage.prompt_tokens,
      candidatesTokenCount: usage.completion_tokens,
      totalTokenCount: usage.total_tokens,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: usage.prompt_tokens }],
    },
    modelVersion: answer.model ?? modelOf(request),
    responseId: 'scripted',
  };
}

const candidate = (parts: readonly object[], finishReason?: string): object => ({
  content: { parts, role: 'model' },
  ...(finishReason === undefined ? {} : { finishReason }),
  index: 0,
});

function whole(answer: VendorAnswer, request: UpstreamRequest): object {
  const text = answer.content ?? '';
  const parts = [...(text === '' ? [] : [{ text }]), ...partsOf(answer)];
  return { candidates: [candidate(parts, FINISH_REASONS[finishOf(answer)])], ...tailOf(answer, request) };
}

function frames(answer: VendorAnswer, request: UpstreamRequest): readonly string[] {
  const tail = tailOf(answer, request);
  const bodies = [
    ...piecesOf(answer).map((text) => candidate([{ text }])),
    ...partsOf(answer).map((part) => candidate([part])),
    candidate([{ text: '' }], FINISH_REASONS[finishOf(answer)]),
  ];
  return bodies.map((body) => event({ candidates: [body], ...tail }));
}

function turnsOf({ role, parts: given }: Loose): readonly VendorTurn[] {
  const parts = listOf(given);
  const results = parts
    .filter((part) => 'functionResponse' in part)
    .map(({ functionResponse: response }) => {
      const { name, response: body } = objectOf(response);
      if (typeof body !== 'object' || body === null) throw new Error('function_response.response: no object');
      const { result } = body as Loose;
      return { id: null, name: stringOf(name), content: typeof result === 'string' ? result : JSON.stringify(body) };
    });
  const calls = parts
    .filter((part) => 'functionCall' in part)
    .map(({ functionCall: call }) => {
      const { name, args } = objectOf(call);
      return { id: null, name: stringOf(name), arguments: args };
    });
  const images = parts
    .filter((part) => 'inlineData' in part)
    .map(({ inlineData: inline }) => ({
      mediaType: stringOf(objectOf(inline)['mimeType']),
      base64: stringOf(objectOf(inline)['data']),
    }));
  const text = parts.map((part) => stringOf(part['text'])).join('');
  const speaks = role === 'model' ? ('assistant' as const) : ('user' as const);
  const silent = text === '' && images.length === 0 && calls.length === 0;
  return [
    ...(results.length === 0 ? [] : [{ role: 'tool' as const, text: '', images: [], calls: [], results }]),
    ...(silent && results.length > 0 ? [] : [{ role: speaks, text, images, calls, results: [] }]),
  ];
}

function choiceOf(config: Loose): VendorQuestion['choice'] {
  const names = Array.isArray(config['allowedFunctionNames']) ? (config['allowedFunctionNames'] as unknown[]) : [];
  if (config['mode'] === 'NONE') return 'none';
  if (config['mode'] !== 'ANY') return 'auto';
  return names.length === 0 ? 'required' : { name: stringOf(names[0]) };
}

function question(request: UpstreamRequest): VendorQuestion {
  const { body } = request;
  const config = objectOf(body['generationConfig']);
  const contents = listOf(body['contents']);
  if (contents.length === 0) throw new Error('contents: is required');
  return {
    model: modelOf(request),
    stream: streams(request),
    system: listOf(objectOf(body['systemInstruction'])['parts'])
      .map(({ text }) => stringOf(text))
      .join('\n\n'),
    turns: contents.flatMap(turnsOf),
    functions: listOf(body['tools'])
      .flatMap(({ functionDeclarations: declared }) => listOf(declared))
      .map((declared) => ({
        name: stringOf(declared['name']),
        description: stringOf(declared['description']),
        parameters: objectOf(declared['parametersJsonSchema']),
      })),
    choice: choiceOf(objectOf(objectOf(body['toolConfig'])['functionCallingConfig'])),
    temperature: numberOf(config['temperature']),
    maxTokens: numberOf(config['maxOutputTokens']),
  };
}

const streams = ({ path }: UpstreamRequest): boolean => CALL.exec(path)?.[2] === 'streamGenerateContent';

const STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

/** Google's Gemini API (ai.google.dev/api/generate-content). */
export const GOOGLE: Dialect = {
  name: 'google',
  basePath: '',
  streamType: 'text/event-stream',
  serves: (path) => CALL.test(path),
  streams,
  question,
  whole,
  frames,
  refusal: ({ status, message }) => ({ error: { code: status, message, status: STATUS[status] ?? 'INTERNAL' } }),
  errorFrame: (message) => event({ error: { code: 503, message, status: 'UNAVAILABLE' } }),
};
