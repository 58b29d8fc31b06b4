import { isJsonObject, type FunctionCall, type JsonObject, type Usage } from '../../../kernel';
import { callId, MAX_CALLS, MAX_NAME } from '../../shapes';
import { badResponse } from '../../transport';

export interface OllamaMessage {
  readonly content: string;
  readonly toolCalls: readonly FunctionCall[];
  /** OpenAI's word for why it ended; null while it has not. */
  readonly finishReason: string | null;
  readonly usage: Usage;
}

/**
 * Reads one object of Ollama's answer, whole or streamed. `before`: calls that came earlier in the stream, for only the
 * last object tells how it ended. @throws AppError `upstream_bad_response`
 */
export function readOllamaMessage(payload: JsonObject, before: number): OllamaMessage {
  const done = payload['done'] === true;
  const message = payload['message'];
  if (!isJsonObject(message) && !done) throw badResponse('The answer of the model vendor holds no message');
  const { content, tool_calls: calls } = isJsonObject(message) ? message : ({} as JsonObject);
  const toolCalls = (Array.isArray(calls) ? calls : []).filter(isJsonObject).flatMap(toOpenAiCall);
  const called = before + toolCalls.length;
  if (called > MAX_CALLS) throw badResponse('The model vendor sent too many function calls');
  return {
    content: typeof content === 'string' ? content : '',
    toolCalls,
    finishReason: done ? finishReasonOf(payload['done_reason'], called > 0) : null,
    usage: usageOf(payload),
  };
}

/** Characters that an answer holds. */
export const sizeOf = ({ content, toolCalls }: OllamaMessage): number =>
  toolCalls.reduce((sum, call) => sum + call.function.arguments.length, content.length);

const finishReasonOf = (reason: unknown, called: boolean): string => {
  if (called) return 'tool_calls';
  return reason === 'length' ? 'length' : 'stop';
};

/** Ollama leaves calls without ids, newer versions apart, and gives the arguments as an object. */
function toOpenAiCall({ id, function: called }: JsonObject): FunctionCall[] {
  if (!isJsonObject(called) || typeof called['name'] !== 'string' || called['name'] === '') return [];
  const { name, arguments: given } = called;
  const known = typeof id === 'string' && id !== '' ? id.slice(0, MAX_NAME) : callId();
  const text = typeof given === 'string' ? given : JSON.stringify(given ?? {});
  return [{ id: known, type: 'function', function: { name: name.slice(0, MAX_NAME), arguments: text } }];
}

function usageOf(payload: JsonObject): Usage {
  const count = (value: unknown): number => (Number.isSafeInteger(value) ? (value as number) : 0);
  const prompt = count(payload['prompt_eval_count']);
  const completion = count(payload['eval_count']);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
