import { isJsonObject, type FunctionCall, type JsonObject } from '../../../kernel';
import type { ModelChunk } from '../../contract';
import { callChunk } from '../../native';
import { chunkOf, MAX_CALLS, usageChunkOf, type AnswerHead } from '../../shapes';
import { badResponse, errorInAnswer, SseReader, truncated, UpstreamFailure, type ChunkReader } from '../../transport';
import { callOf, finishReasonOf, keptBlocks, textIn, TokenCounts, usageOf } from './anthropic-answer';

export interface AnthropicStreamOptions {
  readonly head: AnswerHead;
  readonly includeUsage: boolean;
  readonly maxAnswerChars: number;
  readonly secrets: readonly (string | null)[];
  /** Told of an answer whose thinking must go back with the results of its calls. */
  readonly keep: (callIds: readonly string[], blocks: readonly JsonObject[]) => void;
}

interface OpenBlock {
  readonly start: JsonObject;
  text: string;
  signature: string;
}

/** Vendor words that stand for a passing trouble. */
const PASSING = /overloaded_error|rate_limit_error|api_error|timeout_error/;

/**
 * Reads the events of a streamed message (platform.claude.com/docs/en/build-with-claude/streaming). A call is handed over
 * whole, when its block ends: proxies that try again splice a second message into the stream, and half a call of the first
 * could not be taken back.
 */
export class AnthropicStreamReader implements ChunkReader {
  done = false;
  finished = false;
  private readonly sse = new SseReader();
  private readonly counts = new TokenCounts();
  private readonly open = new Map<unknown, OpenBlock>();
  private readonly blocks: JsonObject[] = [];
  private readonly calls: FunctionCall[] = [];
  private messageId: unknown = null;
  private begun = false;
  private answerChars = 0;
  private finishReason: string | null = null;

  constructor(private readonly options: AnthropicStreamOptions) {}

  read(bytes: Buffer, chunks: ModelChunk[]): void {
    let events;
    try {
      events = this.sse.read(bytes);
    } catch (error) {
      throw badResponse('The model vendor sent a line without an end', error);
    }
    for (const event of events) this.accept(event.data, chunks);
    if (this.done) this.finish(chunks);
  }

  end(): readonly ModelChunk[] {
    const chunks: ModelChunk[] = [];
    if (!this.done && !this.finished) for (const event of this.sse.end()) this.accept(event.data, chunks);
    if (!this.finished) {
      throw this.begun ? truncated() : badResponse('The answer of the model vendor holds no message');
    }
    this.finish(chunks);
    return chunks;
  }

  private accept(data: string, chunks: ModelChunk[]): void {
    if (this.done || data === '[DONE]') return;
    const event = this.parse(data);
    switch (event['type']) {
      case 'message_start':
        return this.start(event['message']);
      case 'content_block_start':
        return this.startBlock(event, chunks);
      case 'content_block_delta':
        return this.extendBlock(event, chunks);
      case 'content_block_stop':
        return this.endBlock(event['index'], chunks);
      case 'message_delta':
        return this.endMessage(event);
      case 'message_stop':
        this.done = this.finished;
        return;
      case 'error':
        throw this.failure(event);
      default:
        // `ping`, and whatever the vendor adds: new events are to be passed over.
        return;
    }
  }

  /** The same message may be announced twice; another one in the middle stands for a try again, from the start. */
  private start(message: unknown): void {
    if (!isJsonObject(message)) throw badResponse('The model vendor began no message');
    this.counts.with(message['usage']);
    if (this.messageId !== null && message['id'] !== this.messageId) this.open.clear();
    this.messageId = message['id'];
  }

  private startBlock(event: JsonObject, chunks: ModelChunk[]): void {
    const start = event['content_block'];
    if (!isJsonObject(start)) throw badResponse('A block of the model vendor has no content');
    // Whatever else it holds is kept until the end: redacted thinking, the input of a call, the block itself.
    const said = start['type'] === 'text' ? textIn(start, 'text').length : 0;
    this.count(JSON.stringify(start).length - said);
    this.open.set(event['index'], { start, text: '', signature: '' });
    if (start['type'] === 'text') this.say(start['text'], chunks);
  }

  private extendBlock(event: JsonObject, chunks: ModelChunk[]): void {
    const block = this.open.get(event['index']);
    const delta = event['delta'];
    if (block === undefined || !isJsonObject(delta)) return;
    if (delta['type'] === 'text_delta') this.say(delta['text'], chunks);
    if (typeof delta['signature'] === 'string') {
      this.count(delta['signature'].length);
      block.signature += delta['signature'];
    }
    const gained = [delta['text'], delta['partial_json'], delta['thinking']].find((each) => typeof each === 'string');
    if (gained === undefined) return;
    if (delta['type'] !== 'text_delta') this.count(gained.length);
    block.text += gained;
  }

  private endBlock(index: unknown, chunks: ModelChunk[]): void {
    const block = this.open.get(index);
    if (block === undefined) return;
    this.open.delete(index);
    const { start, text, signature } = block;
    if (start['type'] === 'tool_use') return this.call(start, text, chunks);
    if (start['type'] === 'thinking') this.blocks.push({ type: 'thinking', thinking: text, signature });
    if (start['type'] === 'redacted_thinking') this.blocks.push(start);
    if (start['type'] === 'text') this.blocks.push({ type: 'text', text: textIn(start, 'text') + text });
  }

  private call(start: JsonObject, streamed: string, chunks: ModelChunk[]): void {
    const args = streamed === '' ? JSON.stringify(start['input'] ?? {}) : streamed;
    const call = callOf(start, args);
    const index = this.calls.push(call) - 1;
    if (this.calls.length > MAX_CALLS) throw badResponse('The model vendor sent too many function calls');
    this.blocks.push({ type: 'tool_use', id: call.id, name: call.function.name, input: parsed(args) });
    this.begin(chunks);
    chunks.push(callChunk(this.options.head, index, call));
  }

  private say(text: unknown, chunks: ModelChunk[]): void {
    if (typeof text !== 'string' || text === '') return;
    this.count(text.length);
    this.begin(chunks);
    chunks.push(chunkOf(this.options.head, { content: text }));
  }

  private endMessage(event: JsonObject): void {
    this.counts.with(event['usage']);
    const delta = event['delta'];
    if (!isJsonObject(delta) || typeof delta['stop_reason'] !== 'string') return;
    this.finishReason = finishReasonOf(delta['stop_reason']);
    this.finished = true;
  }

  private begin(chunks: ModelChunk[]): void {
    if (!this.begun) chunks.push(chunkOf(this.options.head, { role: 'assistant', content: '' }));
    this.begun = true;
  }

  private finish(chunks: ModelChunk[]): void {
    if (this.finishReason === null) return;
    const kept = keptBlocks(this.blocks);
    if (kept !== null)
      this.options.keep(
        this.calls.map(({ id }) => id),
        kept,
      );
    this.begin(chunks);
    const usage = usageOf(this.counts);
    const finish = chunkOf(this.options.head, {}, this.finishReason);
    this.finishReason = null;
    if (this.options.includeUsage) chunks.push(finish, usageChunkOf(this.options.head, usage));
    else chunks.push({ ...finish, usage });
  }

  private count(chars: number): void {
    this.answerChars += chars;
    if (this.answerChars > this.options.maxAnswerChars) throw truncated('The answer of the model vendor is too long');
  }

  private parse(data: string): JsonObject {
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch {
      throw this.begun ? truncated() : badResponse('The model vendor sent no JSON');
    }
    if (!isJsonObject(event)) throw badResponse('An event of the model vendor is no object');
    return event;
  }

  /** A vendor that is overloaded says so in the stream; before anything was handed over it can be asked again. */
  private failure(event: JsonObject): Error {
    const error = errorInAnswer(event, this.options.secrets);
    const type = isJsonObject(event['error']) ? event['error']['type'] : null;
    return this.begun ? error : new UpstreamFailure(error, typeof type === 'string' && PASSING.test(type));
  }
}

function parsed(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return { invalid_arguments: args };
  }
}
