import { type FunctionCall, type JsonObject, type Usage, isJsonObject, uuidv7 } from '@bellwether/kernel';
import type { ModelAnswer, ModelChunk } from '../contract';
import { truncated } from '../transport';

/** A function in OpenAI's `tools` parameter (API reference, "Create chat completion"). */
export interface OfferedFunction {
  readonly name: string;
  readonly description: string | null;
  /** JSON Schema of type `object`. */
  readonly parameters: JsonObject;
}

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} };

export function functionsIn({ tools }: JsonObject): readonly OfferedFunction[] {
  return (Array.isArray(tools) ? tools.filter(isJsonObject) : []).flatMap(({ function: offered }) => {
    if (!isJsonObject(offered) || typeof offered['name'] !== 'string') return [];
    const { name, description, parameters } = offered;
    return [
      {
        name,
        description: typeof description === 'string' && description !== '' ? description : null,
        parameters: isJsonObject(parameters) && parameters['type'] === 'object' ? parameters : NO_PARAMETERS,
      },
    ];
  });
}

export type FunctionWish = 'auto' | 'none' | 'required' | { readonly name: string };

/** `tool_choice`; null when the request leaves it open. */
export function functionWishIn({ tool_choice: wish }: JsonObject): FunctionWish | null {
  if (wish === 'auto' || wish === 'none' || wish === 'required') return wish;
  const called = isJsonObject(wish) ? wish['function'] : null;
  return isJsonObject(called) && typeof called['name'] === 'string' ? { name: called['name'] } : null;
}

export const numberIn = (params: JsonObject, name: string): number | null => {
  const value = params[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
};

/** The newer name wins. */
export const maxTokensIn = (params: JsonObject): number | null =>
  numberIn(params, 'max_completion_tokens') ?? numberIn(params, 'max_tokens');

export function stopsIn({ stop }: JsonObject): readonly string[] {
  const given: readonly unknown[] = Array.isArray(stop) ? stop : [stop];
  return given.filter((one): one is string => typeof one === 'string' && one !== '');
}

/** `response_format`: `json` for any object, the schema where one is given, null for text. */
export function formatIn({ response_format: format }: JsonObject): 'json' | JsonObject | null {
  if (!isJsonObject(format)) return null;
  if (format['type'] === 'json_object') return 'json';
  if (format['type'] !== 'json_schema') return null;
  const named = format['json_schema'];
  return isJsonObject(named) && isJsonObject(named['schema']) ? named['schema'] : 'json';
}

/** Arguments of a call as an object, for vendors that require one. Invalid JSON is wrapped, so the model can read it. */
export function argumentsObject(text: string): JsonObject {
  if (text.trim() === '') return {};
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : { invalid_arguments: text };
  } catch {
    return { invalid_arguments: text };
  }
}

/** Most function calls of one answer. More are a fault. */
export const MAX_CALLS = 128;

/** Longest name and id of a call. OpenAI's limits are 64 and 40 characters. */
export const MAX_NAME = 256;

/** Id of a call for vendors that send none. Unique, and within OpenAI's limit of 40 characters. */
export const callId = (): string => `call_${uuidv7().replaceAll('-', '')}`;

export const NO_USAGE: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** Members that all chunks of one answer share (OpenAI API reference, "The chat completion chunk object"). */
export interface AnswerHead {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
}

export interface Delta {
  readonly role?: 'assistant';
  readonly content?: string | null;
  readonly tool_calls?: readonly JsonObject[];
  readonly reasoning_content?: string;
}

export const headOf = ({ model }: { readonly model: string }): AnswerHead => ({
  id: `chatcmpl-${uuidv7()}`,
  created: Math.floor(Date.now() / 1000),
  model,
});

/** Finish reasons of compatible servers (TGI, Mistral, gateways) in OpenAI's words. */
const FINISH_REASONS: ReadonlyMap<string, string> = new Map([
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['max_length', 'length'],
  ['model_length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['tool_use', 'tool_calls'],
  ['content_filter', 'content_filter'],
  ['safety', 'content_filter'],
]);

/**
 * OpenAI's word for how an answer ended. A reason that nobody knows means the end, or the calls before it.
 * `asksOldCalls`: the client offers `functions`, the parameter before `tools`.
 */
export function finishReasonOf(reason: string, hasCalls: boolean, asksOldCalls: boolean): string {
  if (reason === 'stop' || (reason === 'function_call' && asksOldCalls)) return reason;
  return FINISH_REASONS.get(reason.toLowerCase()) ?? (hasCalls ? 'tool_calls' : 'stop');
}

/** A chunk in the strict shape, for vendors that do not speak OpenAI's. */
export function chunkOf(head: AnswerHead, delta: Delta, finishReason: string | null = null): ModelChunk {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
  const data = JSON.stringify({ ...chunkHead(head), choices });
  return { data, text: delta.content ?? '', finishReason, usage: null };
}

/** A chunk with one whole call, for vendors that do not stream calls in OpenAI's format. */
export function callChunkOf(head: AnswerHead, index: number, call: FunctionCall): ModelChunk {
  const delta = { index, id: call.id, name: call.function.name, arguments: call.function.arguments };
  return { ...chunkOf(head, { tool_calls: [{ index, ...call }] }), calls: [delta] };
}

/** OpenAI's extra chunk for `stream_options.include_usage`. */
export const usageChunkOf = (head: AnswerHead, usage: Usage): ModelChunk => ({
  data: JSON.stringify({ ...chunkHead(head), choices: [], usage }),
  text: '',
  finishReason: null,
  usage,
});

/** The chunks of an answer that did not come as a stream. */
export function chunksOfWhole(head: AnswerHead, answer: ModelAnswer, includeUsage: boolean): readonly ModelChunk[] {
  const { text, images = [], calls, finishReason, usage, echoed } = answer;
  const chunks = [chunkOf(head, { role: 'assistant', content: '' })];
  if (echoed !== undefined) chunks.push({ ...chunkOf(head, { ...echoed }), echoed });
  for (const [index, call] of calls.entries()) chunks.push(callChunkOf(head, index, call));
  if (text !== '') chunks.push(chunkOf(head, { content: text }));
  if (images.length > 0) chunks.push({ ...chunkOf(head, { content: '' }), images });
  const finish = chunkOf(head, {}, finishReason);
  if (usage !== null && includeUsage) return [...chunks, finish, usageChunkOf(head, usage)];
  return [...chunks, { ...finish, usage }];
}

export interface WholeAnswer {
  readonly content: string | null;
  readonly toolCalls?: readonly FunctionCall[];
  readonly finishReason: string;
  readonly usage: Usage;
}

export function answerOf(head: AnswerHead, answer: WholeAnswer): ModelAnswer {
  const { content, toolCalls = [], finishReason, usage } = answer;
  const message = {
    role: 'assistant',
    content,
    refusal: null,
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finishReason }];
  const body = { id: head.id, object: 'chat.completion', created: head.created, model: head.model, choices, usage };
  return { body, text: content ?? '', finishReason, usage, calls: toolCalls };
}

const chunkHead = (head: AnswerHead) => ({
  id: head.id,
  object: 'chat.completion.chunk',
  created: head.created,
  model: head.model,
});

/** OpenAI's usage member, or null when it is absent or not made of counts. */
export function usageOf(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null;
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = value;
  if (!isCount(prompt) || !(isCount(completion) || completion === undefined)) return null;
  const answered = completion ?? 0;
  const details = value['prompt_tokens_details'];
  const cached = isJsonObject(details) ? details['cached_tokens'] : 0;
  return {
    prompt_tokens: prompt,
    completion_tokens: answered,
    total_tokens: isCount(total) ? total : prompt + answered,
    ...(isCount(cached) && cached > 0 ? { prompt_tokens_details: { cached_tokens: cached } } : {}),
  };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** A count of tokens; 0 for anything that is none. */
export const countOf = (value: unknown): number => (isCount(value) ? value : 0);

export const wantsUsage = (params: JsonObject): boolean =>
  isJsonObject(params['stream_options']) && params['stream_options']['include_usage'] === true;

/** Limits the characters of one answer. */
export class AnswerBudget {
  constructor(private left: number) {}

  /** @throws AppError `upstream_truncated` */
  spend(chars: number): void {
    this.left -= chars;
    if (this.left < 0) throw truncated('The answer of the model vendor is too long');
  }
}

/** Characters that a model wrote. */
export const charsOf = (
  text: string,
  calls: readonly { readonly function: { readonly arguments: string } }[],
): number => calls.reduce((sum, call) => sum + call.function.arguments.length, text.length);
