import { isJsonObject, type JsonObject } from '@bellwether/kernel';
import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions';
import type { CreateEmbeddingResponse } from 'openai/resources/embeddings';
import type {
  ConnectorDefinition,
  ConnectorPlugin,
  EmbeddingAbility,
  EmbeddingWire,
  ModelAnswer,
  ModelRequest,
  ModelsWire,
  ModelTarget,
} from '../../contract';
import { badResponse, errorInAnswer, truncated } from '../../transport';
import {
  type AnswerHead,
  charsOf,
  finishReasonOf,
  splitThoughts,
  usageOf,
  type VendorCall,
  wirePlugin,
} from '../../vendor';
import { ChatStreamReader, echoedIn } from './chat-stream-reader';
import { functionCallsOf, strictCalls } from './function-calls';
import { textOfParts } from './strict-chunk';

/** API reference, "List models". Together answers the bare array. */
const OPENAI_MODELS: ModelsWire = {
  request: () => ({ path: '/models' }),
  read: (payload) => {
    const list = isJsonObject(payload) ? payload['data'] : payload;
    if (!Array.isArray(list)) return null;
    return list.flatMap(({ id }: { id?: unknown }) => (typeof id === 'string' ? { id, name: null } : []));
  },
};

const OPENAI_EMBEDDINGS: EmbeddingAbility = {
  defaultModel: 'text-embedding-3-small',
  // Every self-hosted server takes 32; OpenAI's own limit is far beyond.
  maxTexts: 32,
  maxChars: 120_000,
  parallel: 4,
};

/** The SDK sees neither address nor key: our `fetch` adds both. With `OPENAI_LOG=debug` it would log the texts. */
const OWN = {
  apiKey: 'unused',
  organization: null,
  project: null,
  baseURL: 'http://vendor.invalid',
  logLevel: 'off',
} as const;

/** OpenAI's `/embeddings` (API reference, "Create embeddings") and every server that speaks it. */
const embedWithOpenAi: EmbeddingWire = async ({ model, texts, dimensions }, { fetch }) => {
  // Loaded on first use: it would be a tenth of the start.
  const { default: OpenAI } = await import('openai');
  const client = new OpenAI({ ...OWN, fetch, maxRetries: 0 });
  const asked = { model, input: [...texts], encoding_format: 'float' as const };
  return inOrder(await client.embeddings.create(dimensions === null ? asked : { ...asked, dimensions }));
};

/** `index` names the text of an entry. Entries may come in any order; compatible servers may omit it. */
function inOrder({ data }: Partial<CreateEmbeddingResponse>): unknown {
  if (!Array.isArray(data)) return data;
  const entries = (data as unknown[]).filter(isJsonObject);
  const vectors = new Map(entries.map((entry, at) => [Number(entry['index'] ?? at), entry['embedding']]));
  return entries.map((_, at) => vectors.get(at));
}

/**
 * Checks an answer without `stream` and fills in members that OpenAI's schema requires. Content may be null only with
 * tool calls, a refusal, audio, or a finish reason that explains it.
 * @throws AppError `upstream_bad_response`, or the error that the answer holds
 */
function readWholeAnswer(
  payload: unknown,
  { request, head, secrets, maxAnswerChars }: Pick<VendorCall, 'request' | 'head' | 'secrets' | 'maxAnswerChars'>,
): ModelAnswer {
  if (!isJsonObject(payload)) throw badResponse('The answer of the model vendor is no object');
  if ((payload['error'] ?? null) !== null) throw errorInAnswer(payload, secrets);
  const vendorChoices = payload['choices'];
  if (!Array.isArray(vendorChoices) || vendorChoices.length === 0) {
    throw badResponse('The answer of the model vendor holds no choices');
  }
  const asksOldCalls = Array.isArray(request.params['functions']);
  const choices = vendorChoices.map((choice, position) => strictChoice(choice, position, asksOldCalls));
  const first = choices[0] as StrictChoice;
  const text = first.message.content ?? '';
  const body = { ...payload, ...strictHead(payload, head), choices };
  const calls = functionCallsOf(first.message.tool_calls ?? []);
  if (charsOf(text, calls) > maxAnswerChars) throw truncated('The answer of the model vendor is too long');
  const finishReason = first.finish_reason;
  const echoed = echoedIn(first.message);
  const answer = { body, text, finishReason, usage: usageOf(payload['usage']), calls };
  return echoed === undefined ? answer : { ...answer, echoed };
}

const nonEmpty = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const strictHead = (payload: JsonObject, defaults: AnswerHead): JsonObject => ({
  id: nonEmpty(payload['id']) ?? defaults.id,
  object: 'chat.completion',
  created: Number.isSafeInteger(payload['created']) ? payload['created'] : defaults.created,
  model: nonEmpty(payload['model']) ?? defaults.model,
});

interface StrictMessage extends JsonObject {
  readonly content: string | null;
  readonly tool_calls?: readonly JsonObject[];
}

interface StrictChoice extends JsonObject {
  readonly message: StrictMessage;
  readonly finish_reason: string;
}

function strictChoice(choice: unknown, position: number, asksOldCalls: boolean): StrictChoice {
  const vendorMessage = isJsonObject(choice) ? choice['message'] : null;
  if (!isJsonObject(choice) || !isJsonObject(vendorMessage)) {
    throw badResponse('A choice of the model vendor holds no message');
  }
  const message = strictMessage(vendorMessage, asksOldCalls);
  const called = message.tool_calls !== undefined;
  const finish = finishReasonOf(nonEmpty(choice['finish_reason']) ?? '', called, asksOldCalls);
  if (!called && !EMPTY_FINISH.includes(finish) && !saysSomething(message)) {
    throw badResponse('The answer of the model vendor is empty');
  }
  return {
    ...choice,
    index: Number.isSafeInteger(choice['index']) ? choice['index'] : position,
    message,
    logprobs: choice['logprobs'] ?? null,
    finish_reason: finish,
  };
}

function strictMessage({ tool_calls: toolCalls, ...sent }: JsonObject, asksOldCalls: boolean): StrictMessage {
  const { function_call: old, ...rest } = sent;
  const isOldCall = isJsonObject(old) && !asksOldCalls;
  const calls = strictCalls(isOldCall ? [{ function: old }] : toolCalls);
  const message = isOldCall ? rest : sent;
  const content = contentOf(message['content']);
  const { text, thoughts } = splitThoughts(content ?? '');
  const reasoning = typeof message['reasoning_content'] === 'string' ? message['reasoning_content'] : '';
  return {
    ...message,
    role: 'assistant',
    content: content === null ? null : text,
    ...(thoughts === '' ? {} : { reasoning_content: reasoning + thoughts }),
    refusal: message['refusal'] ?? null,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

const EMPTY_FINISH: readonly string[] = ['length', 'content_filter'];
const OTHER_ANSWERS = ['content', 'refusal', 'function_call', 'audio'] as const;
const saysSomething = (message: JsonObject): boolean =>
  OTHER_ANSWERS.some((member) => (message[member] ?? null) !== null);

const contentOf = (content: unknown): string | null => {
  if (Array.isArray(content)) return textOfParts(content);
  return typeof content === 'string' ? content : null;
};

const DEFINITION: ConnectorDefinition = {
  name: 'openai',
  aliases: ['openai_tools', 'openai_tool_use'],
  display_name: 'OpenAI',
  description: 'Models of OpenAI, or of any server with the same API (vLLM, LiteLLM, Mistral, Groq, Azure).',
  texts: {
    es: {
      description: 'Modelos de OpenAI o de cualquier servidor con la misma API (vLLM, LiteLLM, Mistral, Groq, Azure).',
    },
    ca: {
      description: 'Models d’OpenAI o de qualsevol servidor amb la mateixa API (vLLM, LiteLLM, Mistral, Groq, Azure).',
    },
    eu: {
      description:
        'OpenAI-ren ereduak, edo API bera duen edozein zerbitzarirenak (vLLM, LiteLLM, Mistral, Groq, Azure).',
    },
  },
  icon: 'sparkles',
  capabilities: { streaming: true, vision: true, functions: true, image_generation: false },
  vendor: {
    name: 'openai',
    needsKey: true,
    baseUrl: 'https://api.openai.com/v1',
    environment: { apiKey: 'OPENAI_API_KEY', baseUrl: 'OPENAI_BASE_URL' },
  },
  embeddings: OPENAI_EMBEDDINGS,
  models: [],
  defaultModel: 'gpt-4o-mini',
};

/** Members that this connector sets itself; the rest of the client's parameters goes to the vendor unchanged. */
type OwnMember = keyof Pick<ChatCompletionCreateParams, 'stream' | 'stream_options' | 'model' | 'messages'>;

/** OpenAI replaced `user` by `safety_identifier`; other servers with its API know `user` only, and some refuse the other. */
const identityOf = ({ pseudonym }: ModelRequest, { baseUrl }: ModelTarget): JsonObject => {
  if (pseudonym === undefined) return {};
  return new URL(baseUrl).hostname === 'api.openai.com' ? { safety_identifier: pseudonym } : { user: pseudonym };
};

function plainBody(request: ModelRequest, target: ModelTarget): JsonObject {
  const { model, messages, params } = request;
  const { stream: _stream, stream_options: _options, ...rest } = params as Partial<Record<OwnMember, unknown>>;
  return { ...rest, ...identityOf(request, target), model, messages };
}

/** Usage is always asked for, since every run records it. `progress` is our own option and no vendor's. */
function streamBody(request: ModelRequest, target: ModelTarget): JsonObject {
  const { progress: _progress, ...options } = (request.params['stream_options'] ?? {}) as JsonObject;
  return { ...plainBody(request, target), stream: true, stream_options: { ...options, include_usage: true } };
}

/** OpenAI and every vendor that speaks its chat API. */
export const OPENAI: ConnectorPlugin = {
  ...wirePlugin(DEFINITION, {
    eventStream: true,
    encode: ({ request, target, stream }) => ({
      path: '/chat/completions',
      body: stream ? streamBody(request, target) : plainBody(request, target),
    }),
    whole: readWholeAnswer,
    reader: (call) => new ChatStreamReader(call),
  }),
  embeddings: embedWithOpenAi,
  models: OPENAI_MODELS,
};
