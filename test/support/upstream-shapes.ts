/** A well-behaved answer of the scripted upstream. */
export interface AnswerScript {
  readonly content?: string | null;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: string; readonly id?: string }[];
  readonly finishReason?: string;
  /** The vendor's model name in the answer; the asked one unless given. */
  readonly model?: string;
  readonly usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  /** Pieces of `content` in a stream; words with their spaces unless given. */
  readonly pieces?: readonly string[];
  /** Milliseconds before the first byte of the body. */
  readonly firstDelayMs?: number;
  /** Milliseconds between chunks. */
  readonly delayMs?: number;
}

const ID = 'chatcmpl-scripted';
const CREATED = 1_760_000_000;
const USAGE = { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 };

const finishOf = (script: AnswerScript): string =>
  script.finishReason ?? (script.toolCalls === undefined ? 'stop' : 'tool_calls');

const callsOf = (script: AnswerScript) =>
  script.toolCalls?.map((call, index) => ({
    id: call.id ?? `call_${index}`,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }));

export function answerBody(script: AnswerScript, asked: string): object {
  const calls = callsOf(script);
  const message = {
    role: 'assistant',
    content: script.content ?? null,
    refusal: null,
    ...(calls === undefined ? {} : { tool_calls: calls }),
  };
  return {
    id: ID,
    object: 'chat.completion',
    created: CREATED,
    model: script.model ?? asked,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(script) }],
    usage: script.usage ?? USAGE,
  };
}

export function chunkBodies(script: AnswerScript, asked: string, withUsage: boolean): object[] {
  const head = { id: ID, object: 'chat.completion.chunk', created: CREATED, model: script.model ?? asked };
  const usage = withUsage ? { usage: null } : {};
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    ...usage,
  });
  const pieces = script.pieces ?? (script.content ?? '').match(/\S+\s*|\s+/g) ?? [];
  const calls = callsOf(script) ?? [];
  return [
    chunk({ role: 'assistant', content: calls.length > 0 ? null : '' }),
    ...pieces.map((content) => chunk({ content })),
    ...calls.flatMap((call, index) => [
      chunk({ tool_calls: [{ index, ...call, function: { ...call.function, arguments: '' } }] }),
      chunk({ tool_calls: [{ index, function: { arguments: call.function.arguments } }] }),
    ]),
    chunk({}, finishOf(script)),
    ...(withUsage ? [{ ...head, choices: [], usage: script.usage ?? USAGE }] : []),
  ];
}
