import { isJsonObject, type JsonObject } from '../../kernel';
import type { ModelChunk } from '../contract';
import { badResponse, SseReader, truncated, type ChunkReader } from '../transport';
import { callChunkOf, chunkOf, usageChunkOf } from './chat-shapes';
import type { AnswerDecoder, VendorCall, VendorCodec } from './codec.types';
import { LineReader } from './line-reader';
import type { SplitText, ThoughtSplitter } from './thought-splitter';

/** Reads a vendor's stream with its codec and writes OpenAI's chunks. */
export class AnswerStreamReader<Kept extends object> implements ChunkReader {
  private readonly frames: SseReader | LineReader;
  private readonly decoder: AnswerDecoder<Kept>;
  private readonly thoughts: ThoughtSplitter;
  private begun = false;
  private concluded = false;
  private calls = 0;

  constructor(
    private readonly codec: VendorCodec<Kept>,
    private readonly call: VendorCall<Kept>,
  ) {
    this.frames = codec.framing === 'sse' ? new SseReader(codec.maxEventChars) : new LineReader();
    this.decoder = codec.decoder(call.maxAnswerChars);
    this.thoughts = call.thoughts();
  }

  get done(): boolean {
    return this.decoder.done;
  }

  get finished(): boolean {
    return this.decoder.finished;
  }

  read(bytes: Buffer, chunks: ModelChunk[]): void {
    for (const { data } of this.framed(bytes)) this.accept(data, chunks);
    if (this.done) this.conclude(chunks);
  }

  end(): readonly ModelChunk[] {
    const chunks: ModelChunk[] = [];
    if (!this.finished) for (const { data } of this.frames.end()) this.accept(data, chunks);
    if (!this.finished) {
      throw this.begun ? truncated() : badResponse('The answer of the model vendor holds no message');
    }
    this.conclude(chunks);
    return chunks;
  }

  private framed(bytes: Buffer): readonly { readonly data: string }[] {
    try {
      return this.frames.read(bytes);
    } catch (error) {
      throw badResponse('The model vendor sent a line without an end', error);
    }
  }

  private accept(data: string, chunks: ModelChunk[]): void {
    if (this.done || data === '[DONE]') return;
    const event = this.parse(data);
    const failure = this.codec.failure(event, this.call.secrets);
    if (failure !== null) throw failure;
    const { text, calls, images } = this.decoder.add(event);
    const { head } = this.call;
    if (text !== '' || calls.length > 0 || images.length > 0) this.begin(chunks);
    this.say(this.thoughts.add(text), chunks);
    for (const call of calls) chunks.push(callChunkOf(head, this.calls++, call));
    if (images.length > 0) chunks.push({ ...chunkOf(head, { content: '' }), images });
  }

  private begin(chunks: ModelChunk[]): void {
    if (!this.begun) chunks.push(chunkOf(this.call.head, { role: 'assistant', content: '' }));
    this.begun = true;
  }

  private say({ text, thoughts }: SplitText, chunks: ModelChunk[]): void {
    const { head } = this.call;
    const echoed = { reasoning_content: thoughts };
    if (thoughts !== '') chunks.push({ ...chunkOf(head, echoed), echoed });
    if (text !== '') chunks.push(chunkOf(head, { content: text }));
  }

  private conclude(chunks: ModelChunk[]): void {
    if (this.concluded) return;
    this.concluded = true;
    const { head, includeUsage } = this.call;
    const { finishReason, usage, kept } = this.decoder;
    for (const [callId, each] of kept) this.call.keep(callId, each);
    this.begin(chunks);
    this.say(this.thoughts.finish(), chunks);
    const finish = chunkOf(head, {}, finishReason);
    if (includeUsage) chunks.push(finish, usageChunkOf(head, usage));
    else chunks.push({ ...finish, usage });
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
}
