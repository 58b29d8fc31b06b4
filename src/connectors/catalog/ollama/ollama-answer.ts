import { isJsonObject, type FunctionCall, type JsonObject, type Usage } from '../../../kernel';
import { badResponse } from '../../transport';

export interface OllamaMessage {
  readonly content: string;
  readonly toolCalls: readonly FunctionCall[];
  /** OpenAI's word for why it ended; null while it has not. */
  readonly finishReason: string | null;
  readonly usage: Usage;
}

/**
 * Reads one object of Ollama's answer, whole or streamed. `firstCall` numbers tool calls, which Ollama leaves without
 * ids. @throws AppError `upstream_bad_response`
 */
export function readOllamaMessage(payload: JsonObject, firstCall: number): OllamaMessage {
  const done = payload['done'] === true;
  const message = payload['message'];
  if (!isJsonObject(message) && !done) throw badResponse('The answer of the model vendor holds no message');
  const { content, tool_calls: calls } = isJsonObject(message) ? message : ({} as JsonObject);
  const toolCalls = (Array.isArray(calls) ? calls.filter(isJsonObject) : []).map((call, index) =>
    toOpenAiCall(call, firstCall + index),
  );
  const called = toolCalls.length > 0 || firstCall > 0;
  return {
    content: typeof content === 'string' ? content : '',
    toolCalls,
    finishReason: done ? finishReasonOf(payload['done_reason'], called) : null,
    usage: usageOf(payload),
  };
}

const finishReasonOf = (reason: unknown, called: boolean): string => {
  if (called) return 'tool_calls';
  return reason === 'length' ? 'length' : 'stop';
};

function toOpenAiCall(call: JsonObject, number: number): FunctionCall {
  const named = isJsonObject(call['function']) ? call['function'] : {};
  const { name, arguments: given } = named;
  return {
    id: typeof call['id'] === 'string' ? call['id'] : `call_${number}`,
    type: 'function',
    function: {
      name: typeof name === 'string' ? name : '',
      arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}),
    },
  };
}

function usageOf(payload: JsonObject): Usage {
  const count = (value: unknown): number => (Number.isSafeInteger(value) ? (value as number) : 0);
  const prompt = count(payload['prompt_eval_count']);
  const completion = count(payload['eval_count']);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
