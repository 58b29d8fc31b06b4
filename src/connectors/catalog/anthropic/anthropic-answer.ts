import type { StopReason } from '@anthropic-ai/sdk/resources/messages';
import { type FunctionCall, type JsonObject, type Usage, isJsonObject } from '@bellwether/kernel';
import { badResponse } from '../../transport';
import { AnswerBudget, type AnswerDecoder, type Gain, MAX_CALLS, argumentsObject } from '../../vendor';

/** Anthropic's stop reasons as OpenAI's `finish_reason`; unknown ones become `stop`. */
const FINISH_REASONS: ReadonlyMap<unknown, string> = new Map<StopReason, string>([
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
]);

const finishReasonOf = (stopReason: unknown): string => FINISH_REASONS.get(stopReason) ?? 'stop';

/** Blocks that must go back unchanged together with the results of the calls in the same turn. */
const THINKING: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);
const RETURNED: ReadonlySet<unknown> = new Set([...THINKING, 'text', 'tool_use']);

const textIn = (block: JsonObject, type: string): string => {
  const text = block['type'] === type ? block[type] : '';
  return typeof text === 'string' ? text : '';
};

/** @throws AppError `upstream_bad_response` */
function callOf({ id, name }: JsonObject, args: string): FunctionCall {
  if (typeof id !== 'string' || typeof name !== 'string')
    throw badResponse('A function call of the model vendor has no name');
  return { id, type: 'function', function: { name, arguments: args } };
}

function keptBlocks(blocks: readonly JsonObject[]): readonly JsonObject[] | null {
  const calls = blocks.some(({ type }) => type === 'tool_use');
  if (!calls || !blocks.some(({ type }) => THINKING.has(type))) return null;
  return blocks.filter((block) => RETURNED.has(block['type']) && block['text'] !== '');
}

const COUNTS = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'] as const;
type CountName = (typeof COUNTS)[number];

/** Token counts of a stream: cumulative, so each event replaces the earlier ones. */
class TokenCounts {
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
function usageOf(counts: TokenCounts): Usage {
  const cached = counts.get('cache_read_input_tokens');
  const written = counts.get('cache_creation_input_tokens');
  const prompt = counts.get('input_tokens') + cached + written;
  const completion = counts.get('output_tokens');
  const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
  return cached + written === 0
    ? usage
    : { ...usage, ...{ prompt_tokens_details: { cached_tokens: cached, cache_creation_tokens: written } } };
}

interface OpenBlock {
  readonly start: JsonObject;
  text: string;
  signature: string;
}

/** The blocks of a turn that asked for calls, exactly as they came. */
export type KeptTurn = readonly JsonObject[];

const stringIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Reads a whole message, or the events of a streamed one (platform.claude.com/docs/en/build-with-claude/streaming). A call
 * is emitted only when its block ends: proxies that retry may insert a second message into the stream, and half a call of
 * the first could not be revoked.
 */
export class AnthropicAnswer implements AnswerDecoder<KeptTurn> {
  done = false;
  finished = false;
  finishReason = 'stop';
  private readonly budget: AnswerBudget;
  private readonly counts = new TokenCounts();
  private readonly open = new Map<unknown, OpenBlock>();
  private readonly blocks: JsonObject[] = [];
  private readonly calls: FunctionCall[] = [];
  private messageId: unknown = null;
  private text = '';
  private told = 0;

  constructor(maxAnswerChars: number) {
    this.budget = new AnswerBudget(maxAnswerChars);
  }

  get usage(): Usage {
    return usageOf(this.counts);
  }

  get kept(): ReadonlyMap<string, KeptTurn> {
    const kept = keptBlocks(this.blocks);
    return new Map(kept === null ? [] : this.calls.map(({ id }) => [id, kept]));
  }

  add(event: JsonObject): Gain {
    if (Array.isArray(event['content'])) this.whole(event, event['content'] as readonly unknown[]);
    else this.accept(event);
    const gain = { text: this.text, calls: this.calls.slice(this.told), images: [] };
    this.text = '';
    this.told = this.calls.length;
    return gain;
  }

  private whole(message: JsonObject, content: readonly unknown[]): void {
    content.filter(isJsonObject).forEach((block, index) => {
      this.startBlock(index, block);
      this.endBlock(index);
    });
    this.endMessage(message['usage'], message['stop_reason']);
    this.done = this.finished;
  }

  private accept(event: JsonObject): void {
    const { type, index, delta } = event;
    if (type === 'message_start') this.start(event['message']);
    if (type === 'content_block_start') this.startBlock(index, event['content_block']);
    if (type === 'content_block_delta') this.extendBlock(index, delta);
    if (type === 'content_block_stop') this.endBlock(index);
    if (type === 'message_delta') this.endMessage(event['usage'], isJsonObject(delta) ? delta['stop_reason'] : null);
    if (type === 'message_stop') this.done = this.finished;
  }

  /** The same message may start twice. A different id means that a proxy retried from the beginning. */
  private start(message: unknown): void {
    if (!isJsonObject(message)) throw badResponse('The model vendor began no message');
    this.counts.with(message['usage']);
    if (this.messageId !== null && message['id'] !== this.messageId) this.open.clear();
    this.messageId = message['id'];
  }

  private startBlock(index: unknown, start: unknown): void {
    if (!isJsonObject(start)) throw badResponse('A block of the model vendor has no content');
    const said = textIn(start, 'text');
    // The rest is kept until the end: redacted thinking, the input of a call, the block itself.
    this.budget.spend(JSON.stringify(start).length);
    this.text += said;
    this.open.set(index, { start, text: said + textIn(start, 'thinking'), signature: stringIn(start['signature']) });
  }

  private extendBlock(index: unknown, delta: unknown): void {
    const block = this.open.get(index);
    if (block === undefined || !isJsonObject(delta)) return;
    const { text, partial_json: json, thinking } = delta;
    const signature = stringIn(delta['signature']);
    const gained = [text, json, thinking].map(stringIn).join('');
    this.budget.spend(signature.length + gained.length);
    block.signature += signature;
    block.text += gained;
    if (delta['type'] === 'text_delta') this.text += gained;
  }

  private endBlock(index: unknown): void {
    const block = this.open.get(index);
    if (block === undefined) return;
    this.open.delete(index);
    const { start, text, signature } = block;
    if (start['type'] === 'tool_use') this.call(start, text);
    if (start['type'] === 'thinking') this.blocks.push({ type: 'thinking', thinking: text, signature });
    if (start['type'] === 'redacted_thinking') this.blocks.push(start);
    if (start['type'] === 'text') this.blocks.push({ type: 'text', text });
  }

  private call(start: JsonObject, streamed: string): void {
    const args = streamed === '' ? JSON.stringify(start['input'] ?? {}) : streamed;
    const call = callOf(start, args);
    if (this.calls.push(call) > MAX_CALLS) throw badResponse('The model vendor sent too many function calls');
    this.blocks.push({ type: 'tool_use', id: call.id, name: call.function.name, input: argumentsObject(args) });
  }

  private endMessage(usage: unknown, reason: unknown): void {
    this.counts.with(usage);
    if (typeof reason !== 'string') return;
    this.finishReason = finishReasonOf(reason);
    this.finished = true;
  }
}
