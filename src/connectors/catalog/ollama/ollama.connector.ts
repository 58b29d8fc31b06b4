import {
  AppError,
  type ChatMessage,
  type ContentPart,
  type FunctionCall,
  type JsonObject,
  type Usage,
  isJsonObject,
  isTextPart,
  textOf,
} from '@bellwether/kernel';
import type {
  ConnectorDefinition,
  ConnectorPlugin,
  EmbeddingAbility,
  EmbeddingWire,
  ModelRequest,
  ModelsWire,
} from '../../contract';
import { badResponse, errorInAnswer } from '../../transport';
import {
  AnswerBudget,
  type AnswerDecoder,
  type Gain,
  MAX_CALLS,
  MAX_NAME,
  callId,
  charsOf,
  countOf,
  vendorPlugin,
} from '../../vendor';

const OLLAMA_EMBEDDINGS: EmbeddingAbility = {
  defaultModel: 'nomic-embed-text',
  maxTexts: 16,
  maxChars: 60_000,
  parallel: 1,
};

/** Ollama's `/api/embed` (ollama/docs/api.md, "Generate Embeddings"). */
const embedWithOllama: EmbeddingWire = async ({ model, texts, dimensions }, { post }) => {
  // Without `truncate: false` Ollama silently cuts long texts.
  const body = { model, input: [...texts], truncate: false, ...(dimensions === null ? {} : { dimensions }) };
  return (await post('/api/embed', body))['embeddings'];
};

/** Reads the objects of Ollama's answer; the last one is `done: true`. */
class OllamaAnswer implements AnswerDecoder {
  done = false;
  finishReason = 'stop';
  usage: Usage = usageOf({});
  readonly kept = new Map<string, never>();
  private calls = 0;
  private readonly budget: AnswerBudget;

  constructor(maxAnswerChars: number) {
    this.budget = new AnswerBudget(maxAnswerChars);
  }

  get finished(): boolean {
    return this.done;
  }

  add(payload: JsonObject): Gain {
    this.done = payload['done'] === true;
    const message = payload['message'];
    if (!isJsonObject(message) && !this.done) throw badResponse('The answer of the model vendor holds no message');
    const { content, tool_calls: toolCalls } = isJsonObject(message) ? message : ({} as JsonObject);
    const calls = (Array.isArray(toolCalls) ? toolCalls : []).filter(isJsonObject).flatMap(toOpenAiCall);
    const text = typeof content === 'string' ? content : '';
    this.calls += calls.length;
    if (this.calls > MAX_CALLS) throw badResponse('The model vendor sent too many function calls');
    this.budget.spend(charsOf(text, calls));
    if (this.done) {
      // Only the last object has the finish reason; calls may come in earlier ones.
      this.finishReason = finishReasonOf(payload['done_reason'], this.calls > 0);
      this.usage = usageOf(payload);
    }
    return { text, calls, images: [] };
  }
}

const finishReasonOf = (reason: unknown, called: boolean): string => {
  if (called) return 'tool_calls';
  return reason === 'length' ? 'length' : 'stop';
};

/** Older versions of Ollama send calls without ids. All send the arguments as an object. */
function toOpenAiCall({ id, function: called }: JsonObject): FunctionCall[] {
  if (!isJsonObject(called) || typeof called['name'] !== 'string' || called['name'] === '') return [];
  const { name, arguments: given } = called;
  const known = typeof id === 'string' && id !== '' ? id.slice(0, MAX_NAME) : callId();
  const text = typeof given === 'string' ? given : JSON.stringify(given ?? {});
  return [{ id: known, type: 'function', function: { name: name.slice(0, MAX_NAME), arguments: text } }];
}

function usageOf(payload: JsonObject): Usage {
  const prompt = countOf(payload['prompt_eval_count']);
  const completion = countOf(payload['eval_count']);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

/** OpenAI's parameter → Ollama's option (ollama/docs/modelfile.md); at the top level they have no effect. */
const OPTIONS: readonly (readonly [from: string, to: string])[] = [
  ['temperature', 'temperature'],
  ['top_p', 'top_p'],
  ['top_k', 'top_k'],
  ['min_p', 'min_p'],
  ['seed', 'seed'],
  ['stop', 'stop'],
  ['presence_penalty', 'presence_penalty'],
  ['frequency_penalty', 'frequency_penalty'],
  ['repeat_penalty', 'repeat_penalty'],
  ['num_ctx', 'num_ctx'],
  ['max_tokens', 'num_predict'],
  ['max_completion_tokens', 'num_predict'],
];

/** @throws AppError `upstream_rejected` for what Ollama cannot take */
export function ollamaRequest({ model, messages, params }: ModelRequest, stream: boolean): JsonObject {
  const options = Object.fromEntries(
    OPTIONS.flatMap(([from, to]) => ((params[from] ?? null) === null ? [] : [[to, params[from]]])),
  );
  const format = formatOf(params['response_format']);
  const tools = toolsOf(params);
  const names = namesOf(messages);
  return {
    model,
    messages: messages.map((message) => toOllamaMessage(message, names)),
    stream,
    ...(Object.keys(options).length === 0 ? {} : { options }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(format === null ? {} : { format }),
  };
}

/**
 * Ollama accepts OpenAI's function declarations but has no `tool_choice`. With `none`, no function is declared; a forced
 * call is not possible.
 */
function toolsOf({ tools, tool_choice: choice }: JsonObject): readonly JsonObject[] {
  if (!Array.isArray(tools) || choice === 'none') return [];
  const functions = tools.filter((tool) => isJsonObject(tool) && isJsonObject(tool['function'])) as JsonObject[];
  const wanted = isJsonObject(choice) && isJsonObject(choice['function']) ? choice['function']['name'] : null;
  return wanted === null ? functions : functions.filter((tool) => (tool['function'] as JsonObject)['name'] === wanted);
}

/** Function names by call id, because Ollama matches results to calls by name. */
const namesOf = (messages: readonly ChatMessage[]): ReadonlyMap<string, string> =>
  new Map(
    messages.flatMap(({ tool_calls: calls = [] }) => calls.map((call) => [call.id, call.function.name] as const)),
  );

/** `json`, or the schema itself. */
function formatOf(responseFormat: unknown): unknown {
  if (!isJsonObject(responseFormat)) return null;
  if (responseFormat['type'] === 'json_object') return 'json';
  const schema = responseFormat['json_schema'];
  return isJsonObject(schema) ? (schema['schema'] ?? 'json') : null;
}

function toOllamaMessage(message: ChatMessage, names: ReadonlyMap<string, string>): JsonObject {
  const { content } = message;
  const parts: readonly ContentPart[] = Array.isArray(content) ? (content as readonly ContentPart[]) : [];
  const images = parts.filter((part) => !isTextPart(part)).map(imageOf);
  return {
    role: message.role === 'developer' ? 'system' : message.role === 'function' ? 'tool' : message.role,
    content: textOf(content),
    ...(images.length === 0 ? {} : { images }),
    ...(message.tool_calls === undefined ? {} : { tool_calls: message.tool_calls.map(toOllamaCall) }),
    ...resultOf(message, names),
  };
}

const DATA_URL = /^data:image\/[\w.+-]+;base64,/;

/** Data URLs only: Ollama fetches no addresses. */
function imageOf(part: ContentPart): string {
  const image = part.type === 'image_url' ? (part as { image_url?: unknown }).image_url : null;
  const url = isJsonObject(image) ? image['url'] : image;
  const prefix = typeof url === 'string' ? DATA_URL.exec(url.slice(0, 100)) : null;
  if (typeof url !== 'string' || prefix === null) {
    throw new AppError('upstream_rejected', 'Ollama takes text and images given as base64 data URLs only');
  }
  return url.slice(prefix[0].length);
}

/** Newer versions of Ollama match results by id, older ones by name. All accept the name. */
function resultOf({ role, tool_call_id: id, name }: ChatMessage, names: ReadonlyMap<string, string>): JsonObject {
  if (role !== 'tool') return {};
  const called = name ?? names.get(id ?? '');
  return { ...(called === undefined ? {} : { tool_name: called }), ...(id === undefined ? {} : { tool_call_id: id }) };
}

const toOllamaCall = ({ id, function: called }: FunctionCall): JsonObject => ({
  id,
  function: { name: called.name, arguments: objectIn(called.arguments) },
});

/** Ollama refuses arguments that are not an object. Such a call was already refused, and its result says so. */
function objectIn(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

const DEFINITION: ConnectorDefinition = {
  name: 'ollama',
  aliases: [],
  display_name: 'Ollama',
  description: 'Models that run on a server of your institution.',
  texts: {
    es: { description: 'Modelos que se ejecutan en un servidor de su institución.' },
    ca: { description: 'Models que s’executen en un servidor de la vostra institució.' },
    eu: { description: 'Zure erakundearen zerbitzari batean exekutatzen diren ereduak.' },
  },
  icon: 'server',
  capabilities: { streaming: true, vision: true, functions: true, image_generation: false },
  vendor: {
    name: 'ollama',
    needsKey: false,
    baseUrl: null,
    environment: { baseUrl: 'OLLAMA_BASE_URL' },
  },
  embeddings: OLLAMA_EMBEDDINGS,
  models: [],
  defaultModel: null,
};

/** ollama/docs/api.md, "List Local Models". */
const MODELS: ModelsWire = {
  request: () => ({ path: '/api/tags' }),
  read: (payload) => {
    if (!isJsonObject(payload) || !Array.isArray(payload['models'])) return null;
    return payload['models']
      .filter(isJsonObject)
      .flatMap(({ name }) => (typeof name === 'string' ? { id: name, name: null } : []));
  },
};

/** Ollama's native API (ollama/docs/api.md, "Generate a chat completion"); its OpenAI-compatible one ignores context options. */
export const OLLAMA: ConnectorPlugin = {
  ...vendorPlugin(DEFINITION, {
    framing: 'lines',
    encode: ({ request, stream }) => ({ path: '/api/chat', body: ollamaRequest(request, stream) }),
    decoder: (maxAnswerChars) => new OllamaAnswer(maxAnswerChars),
    failure: (event, secrets) => ('error' in event ? errorInAnswer(event, secrets) : null),
  }),
  embeddings: embedWithOllama,
  models: MODELS,
};
