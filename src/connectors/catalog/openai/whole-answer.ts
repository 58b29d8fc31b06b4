import { isJsonObject, type JsonObject } from '@bellwether/kernel';
import type { ModelAnswer } from '../../contract';
import { charsOf, finishReasonOf, splitThoughts, usageOf, type AnswerHead, type VendorCall } from '../../vendor';
import { badResponse, errorInAnswer, truncated } from '../../transport';
import { echoedIn } from './echoed-members';
import { functionCallsOf, strictCalls } from './function-calls';
import { textOfParts } from './strict-chunk';

/**
 * Checks an answer without `stream` and fills in members that OpenAI's schema requires. Content may be null only with
 * tool calls, a refusal, audio, or a finish reason that explains it.
 * @throws AppError `upstream_bad_response`, or the error that the answer holds
 */
export function readWholeAnswer(
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
