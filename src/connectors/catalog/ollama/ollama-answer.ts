import { isJsonObject, type FunctionCall, type JsonObject, type Usage } from '@bellwether/kernel';
import { AnswerBudget, type AnswerDecoder, callId, charsOf, type Gain, MAX_CALLS, MAX_NAME } from '../../vendor';
import { badResponse } from '../../transport';

/** Reads the objects of Ollama's answer; the last one is `done: true`. */
export class OllamaAnswer implements AnswerDecoder {
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
  const count = (value: unknown): number => (Number.isSafeInteger(value) ? (value as number) : 0);
  const prompt = count(payload['prompt_eval_count']);
  const completion = count(payload['eval_count']);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
