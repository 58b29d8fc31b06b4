import {
  AppError,
  isJsonObject,
  isTextPart,
  textOf,
  type ChatMessage,
  type ContentPart,
  type FunctionCall,
  type JsonObject,
} from '@bellwether/kernel';
import type { ModelRequest } from '../../contract';

/** OpenAI's parameter → Ollama's option (docs/modelfile.md, "Valid parameters"); at the top level they have no effect. */
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
