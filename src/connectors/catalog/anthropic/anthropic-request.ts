import type {
  ContentBlockParam,
  MessageCreateParams,
  MessageParam,
  ThinkingConfigParam,
  Tool,
  ToolChoice,
} from '@anthropic-ai/sdk/resources/messages';
import { isJsonObject, type JsonObject } from '@bellwether/kernel';
import type { ModelRequest } from '../../contract';
import { formatIn, functionsIn, functionWishIn, type InlineImages, maxTokensIn, numberIn, stopsIn } from '../../vendor';
import { calledNames, type RecallTurn, systemOf, turnsOf } from './anthropic-turns';

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
