import type { StopReason } from '@anthropic-ai/sdk/resources/messages';
import { isJsonObject, type FunctionCall, type JsonObject, type Usage } from '@bellwether/kernel';
import { badResponse } from '../../transport';

/** Anthropic's stop reasons as OpenAI's `finish_reason`; unknown ones become `stop`. */
const FINISH_REASONS: ReadonlyMap<unknown, string> = new Map<StopReason, string>([
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
]);

export const finishReasonOf = (stopReason: unknown): string => FINISH_REASONS.get(stopReason) ?? 'stop';

/** Blocks that must go back unchanged together with the results of the calls in the same turn. */
const THINKING: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);
const RETURNED: ReadonlySet<unknown> = new Set([...THINKING, 'text', 'tool_use']);

export const textIn = (block: JsonObject, type: string): string => {
  const text = block['type'] === type ? block[type] : '';
  return typeof text === 'string' ? text : '';
};

/** @throws AppError `upstream_bad_response` */
export function callOf({ id, name }: JsonObject, args: string): FunctionCall {
  if (typeof id !== 'string' || typeof name !== 'string')
    throw badResponse('A function call of the model vendor has no name');
  return { id, type: 'function', function: { name, arguments: args } };
}

export function keptBlocks(blocks: readonly JsonObject[]): readonly JsonObject[] | null {
  const calls = blocks.some(({ type }) => type === 'tool_use');
  if (!calls || !blocks.some(({ type }) => THINKING.has(type))) return null;
  return blocks.filter((block) => RETURNED.has(block['type']) && block['text'] !== '');
}

const COUNTS = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'] as const;
type CountName = (typeof COUNTS)[number];

/** Token counts of a stream: cumulative, so each event replaces the earlier ones. */
export class TokenCounts {
  private readonly counts: Partial<Record<CountName, number>> = {};

  with(usage: unknown): this {
    if (!isJsonObject(usage)) return this;
    for (const name of COUNTS) {
      const count = usage[name];
      if (Number.isSafeInteger(count) && (count as number) >= 0) this.counts[name] = count as number;
    }
    return this;
  }

  get(name: CountName): number {
    return this.counts[name] ?? 0;
  }
}

/** Cached tokens belong to the prompt, but `input_tokens` does not count them. */
export function usageOf(counts: TokenCounts): Usage {
  const cached = counts.get('cache_read_input_tokens');
  const written = counts.get('cache_creation_input_tokens');
  const prompt = counts.get('input_tokens') + cached + written;
  const completion = counts.get('output_tokens');
  const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
  return cached + written === 0
    ? usage
    : { ...usage, ...{ prompt_tokens_details: { cached_tokens: cached, cache_creation_tokens: written } } };
}
