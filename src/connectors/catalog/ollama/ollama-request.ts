import {
  AppError,
  isJsonObject,
  isTextPart,
  textOf,
  type ChatMessage,
  type ContentPart,
  type JsonObject,
} from '../../../kernel';
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
  return {
    model,
    messages: messages.map(toOllamaMessage),
    stream,
    ...(Object.keys(options).length === 0 ? {} : { options }),
    ...(Array.isArray(params['tools']) && params['tool_choice'] !== 'none' ? { tools: params['tools'] } : {}),
    ...(format === null ? {} : { format }),
  };
}

/** `json`, or the schema itself. */
function formatOf(responseFormat: unknown): unknown {
  if (!isJsonObject(responseFormat)) return null;
  if (responseFormat['type'] === 'json_object') return 'json';
  const schema = responseFormat['json_schema'];
  return isJsonObject(schema) ? (schema['schema'] ?? 'json') : null;
}

function toOllamaMessage(message: ChatMessage): JsonObject {
  const { content } = message;
  const parts: readonly ContentPart[] = Array.isArray(content) ? (content as readonly ContentPart[]) : [];
  const images = parts.filter((part) => !isTextPart(part)).map(imageOf);
  return {
    role: message.role === 'developer' ? 'system' : message.role === 'function' ? 'tool' : message.role,
    content: textOf(content),
    ...(images.length === 0 ? {} : { images }),
    ...(message.tool_calls === undefined ? {} : { tool_calls: message.tool_calls.map(toOllamaCall) }),
    ...(message.name !== undefined && message.role === 'tool' ? { tool_name: message.name } : {}),
  };
}

const DATA_URL = /^data:image\/[\w.+-]+;base64,/;

/** Only the bytes themselves: an address would have to be fetched in the name of whoever wrote it. */
function imageOf(part: ContentPart): string {
  const image = part.type === 'image_url' ? (part as { image_url?: unknown }).image_url : null;
  const url = isJsonObject(image) ? image['url'] : image;
  const prefix = typeof url === 'string' ? DATA_URL.exec(url.slice(0, 100)) : null;
  if (typeof url !== 'string' || prefix === null) {
    throw new AppError('upstream_rejected', 'Ollama takes text and images given as base64 data URLs only');
  }
  return url.slice(prefix[0].length);
}

/** Ollama wants the arguments as an object; text that is none is handed over as it is. */
function toOllamaCall(call: NonNullable<ChatMessage['tool_calls']>[number]): JsonObject {
  return { function: { name: call.function.name, arguments: parsed(call.function.arguments) } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
