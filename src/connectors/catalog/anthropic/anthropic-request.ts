import { isDeepStrictEqual } from 'node:util';
import type {
  ContentBlockParam,
  MessageCreateParams,
  MessageParam,
  ThinkingConfigParam,
  Tool,
  ToolChoice,
  ToolUseBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import {
  AppError,
  type ChatMessage,
  type ContentPart,
  type FunctionCall,
  type JsonObject,
  isJsonObject,
  isTextPart,
  textOf,
} from '@bellwether/kernel';
import type { ModelRequest } from '../../contract';
import {
  type InlineImages,
  argumentsObject,
  formatIn,
  functionWishIn,
  functionsIn,
  imageUrlOf,
  maxTokensIn,
  numberIn,
  stopsIn,
} from '../../vendor';

/** Blocks of an earlier answer exactly as they came, by the id of one of its calls. */
export type RecallTurn = (callId: string) => readonly JsonObject[] | undefined;

/** Ids that Anthropic accepts. Other vendors and clients may use more characters. */
const toolUseId = (id: string): string => id.replace(/[^\w-]/g, '_').slice(0, 64) || 'call';

const isSystem = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer';

/** Anthropic takes all system text outside the conversation. */
const systemOf = (messages: readonly ChatMessage[]): string =>
  messages
    .filter(isSystem)
    .map(({ content }) => textOf(content))
    .filter((text) => text.trim() !== '')
    .join('\n\n');

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlockParam[];
}

/**
 * The conversation in Anthropic's turns: one role after the other, results of calls first in the turn after them, no empty
 * text, a user first. @throws AppError `upstream_rejected` for parts that the API does not take
 */
function turnsOf(messages: readonly ChatMessage[], images: InlineImages, recall: RecallTurn): MessageParam[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    if (isSystem(message)) continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = blocksOf(message, images, recall);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else if (blocks.length > 0) turns.push({ role, content: blocks });
  }
  if (turns[0]?.role === 'assistant') turns.unshift({ role: 'user', content: [{ type: 'text', text: '…' }] });
  return turns.map((turn, index) => (index === turns.length - 1 ? withoutTrailingSpace(turn) : turn));
}

function blocksOf(message: ChatMessage, images: InlineImages, recall: RecallTurn): ContentBlockParam[] {
  if (message.role === 'tool' || message.role === 'function') {
    const id = toolUseId(message.tool_call_id ?? message.name ?? '');
    const content = contentBlocks(message.content, images) as Extract<ContentBlockParam, { type: 'text' | 'image' }>[];
    return [{ type: 'tool_result', tool_use_id: id, ...(content.length === 0 ? {} : { content }) }];
  }
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  const kept = calls.length === 0 ? undefined : keptTurn(calls, recall);
  return kept ?? [...contentBlocks(message.content, images), ...calls.map(toolUse)];
}

/** The original blocks, with thinking, if the client returned the same calls unchanged. */
function keptTurn(calls: readonly FunctionCall[], recall: RecallTurn): ContentBlockParam[] | undefined {
  const kept = calls[0] === undefined ? undefined : recall(calls[0].id);
  const asked = kept?.filter(({ type }) => type === 'tool_use') ?? [];
  const same = asked.length === calls.length && calls.every((call) => asked.some((block) => isOf(block, call)));
  return same ? (structuredClone(kept) as unknown as ContentBlockParam[]) : undefined;
}

const isOf = (block: JsonObject, { id, function: called }: FunctionCall): boolean =>
  block['id'] === id &&
  block['name'] === called.name &&
  isDeepStrictEqual(block['input'], argumentsObject(called.arguments));

const toolUse = ({ id, function: called }: FunctionCall): ToolUseBlockParam => ({
  type: 'tool_use',
  id: toolUseId(id),
  name: called.name,
  input: argumentsObject(called.arguments),
});

function contentBlocks(content: ChatMessage['content'], images: InlineImages): ContentBlockParam[] {
  const parts: readonly ContentPart[] = Array.isArray(content)
    ? (content as readonly ContentPart[])
    : [{ type: 'text', text: textOf(content) }];
  return parts.flatMap((part) => blockOf(part, images));
}

function blockOf(part: ContentPart, images: InlineImages): ContentBlockParam[] {
  if (isTextPart(part)) return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
  const url = imageUrlOf(part);
  const image = url === null ? undefined : images.get(url);
  if (image === undefined) throw new AppError('upstream_rejected', 'Anthropic takes text and images only');
  return [{ type: 'image', source: { type: 'base64', media_type: image.mediaType, data: image.base64 } }];
}

/** The API refuses a final assistant message that ends in white space. */
function withoutTrailingSpace({ role, content }: Turn): Turn {
  const last = content.at(-1);
  if (role !== 'assistant' || last?.type !== 'text') return { role, content };
  return { role, content: [...content.slice(0, -1), { ...last, text: last.text.trimEnd() }] };
}

/** Names of all functions that were called in the conversation. */
const calledNames = (messages: readonly ChatMessage[]): readonly string[] => [
  ...new Set(messages.flatMap(({ tool_calls: calls }) => (calls ?? []).map((call) => call.function.name))),
];

/** Defaults, because `max_tokens` is required. Old models refuse more; the newest also spend it on thinking. */
const MAX_TOKENS_BY_MODEL: readonly (readonly [model: RegExp, tokens: number])[] = [
  [/claude-(?:2|instant|3-(?:opus|sonnet|haiku))/, 4_096],
  [/claude-(?:3|[a-z]+-4)/, 8_192],
  [/claude/, 16_384],
];
const MAX_TOKENS = 8_192;

/** Claude 4.7 and later refuse sampling parameters. Other vendors' models behind the same API accept them. */
const WITHOUT_SAMPLING = /claude-(?!2|instant|3|[a-z]+-4(?!-(?:[7-9]|\d\d(?!\d))))/;

/** Anthropic refuses more; OpenAI allows up to 2. Larger values are lowered to this. */
const MAX_TEMPERATURE = 1;

/**
 * A request to the Messages API (platform.claude.com/docs/en/api/messages). Parameters without an equivalent (`n`, `seed`,
 * penalties, `logprobs`, `user`) are left out.
 * @throws AppError `upstream_rejected` for parts that the API does not take
 */
export function anthropicRequest(
  { model, messages, params, pseudonym }: ModelRequest,
  stream: boolean,
  images: InlineImages,
  recall: RecallTurn,
): MessageCreateParams {
  const turns = turnsOf(messages, images, recall);
  const thinking = thinkingFor(params, turns);
  const maxTokens = maxTokensIn(params) ?? maxTokensOf(model);
  const thinks = thinking?.type === 'enabled';
  const format = formatIn(params);
  const system = [systemOf(messages), format === 'json' ? 'Answer with one JSON object and nothing else.' : '']
    .filter((text) => text !== '')
    .join('\n\n');
  const stops = stopsIn(params).filter((stop) => stop.trim() !== '');
  return {
    model,
    max_tokens: thinks ? maxTokens + thinking.budget_tokens : maxTokens,
    messages: turns,
    stream,
    ...(pseudonym === undefined ? {} : { metadata: { user_id: pseudonym } }),
    ...(system === '' ? {} : { system }),
    ...(stops.length === 0 ? {} : { stop_sequences: [...stops] }),
    ...(thinking !== null || WITHOUT_SAMPLING.test(model) ? {} : samplingOf(params)),
    ...toolsOf(params, messages, thinks),
    ...(isJsonObject(format) ? { output_config: { format: { type: 'json_schema', schema: { ...format } } } } : {}),
    ...(thinking === null ? {} : { thinking }),
  };
}

const maxTokensOf = (model: string): number =>
  MAX_TOKENS_BY_MODEL.find(([pattern]) => pattern.test(model))?.[1] ?? MAX_TOKENS;

/** Some models refuse temperature and top_p together. The SDK's types lack both. */
function samplingOf(params: JsonObject): JsonObject {
  const temperature = numberIn(params, 'temperature');
  const topP = numberIn(params, 'top_p');
  const topK = numberIn(params, 'top_k');
  return {
    ...(temperature === null ? {} : { temperature: Math.min(temperature, MAX_TEMPERATURE) }),
    ...(topP === null || temperature !== null ? {} : { top_p: topP }),
    ...(topK === null ? {} : { top_k: topK }),
  };
}

/**
 * The client's `thinking` parameter. It is dropped when call results go back without the thinking blocks before them,
 * which a restart of the process loses. The API refuses such requests with `thinking` and accepts them without.
 */
function thinkingFor({ thinking }: JsonObject, turns: readonly MessageParam[]): ThinkingConfigParam | null {
  if (!isJsonObject(thinking) || thinking['type'] === 'disabled') return null;
  const asked = thinking as unknown as ThinkingConfigParam;
  if (asked.type === 'enabled' && !Number.isSafeInteger(asked.budget_tokens)) return null;
  const blocks = (turn: MessageParam | undefined): readonly ContentBlockParam[] =>
    Array.isArray(turn?.content) ? turn.content : [];
  const answersCalls = blocks(turns.at(-1)).some(({ type }) => type === 'tool_result');
  const thought = blocks(turns.at(-2)).some(({ type }) => type === 'thinking' || type === 'redacted_thinking');
  return answersCalls && !thought ? null : asked;
}

/** The API requires declarations of all functions in the conversation, even when the model may call none now. */
function toolsOf(
  params: JsonObject,
  messages: ModelRequest['messages'],
  thinks: boolean,
): Pick<MessageCreateParams, 'tools' | 'tool_choice'> {
  const tools = functionsIn(params).map(({ name, description, parameters }): Tool => ({
    name,
    ...(description === null ? {} : { description }),
    input_schema: parameters as Tool.InputSchema,
  }));
  if (tools.length > 0) {
    const choice = toolChoiceOf(params, thinks);
    return { tools, ...(choice === null ? {} : { tool_choice: choice }) };
  }
  const called = calledNames(messages).map((name): Tool => ({ name, input_schema: { type: 'object' } }));
  return called.length === 0 ? {} : { tools: called, tool_choice: { type: 'none' } };
}

/** The API refuses forced calls together with thinking. */
function toolChoiceOf(params: JsonObject, thinks: boolean): ToolChoice | null {
  const wish = functionWishIn(params);
  if (wish === 'none') return { type: 'none' };
  const single = params['parallel_tool_calls'] === false;
  const limits = single ? { disable_parallel_tool_use: true } : {};
  if (wish !== null && !thinks) {
    if (wish === 'required') return { type: 'any', ...limits };
    if (wish !== 'auto') return { type: 'tool', name: wish.name, ...limits };
  }
  return single || wish === 'auto' ? { type: 'auto', ...limits } : null;
}
