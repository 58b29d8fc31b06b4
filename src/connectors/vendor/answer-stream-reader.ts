import type { AnswerDecoder } from '@bellwether/plugin';
import { type FunctionCall, type JsonObject, isJsonObject } from '@bellwether/kernel';
import { StringDecoder } from 'node:string_decoder';
import type { ModelAnswer, ModelChunk } from '../contract';
import {
  type AnswerHead,
  type AnswerSink,
  type ChunkReader,
  MAX_BODY,
  SseReader,
  badResponse,
  errorInAnswer,
  jsonOf,
  truncated,
} from '../transport';
import { NO_USAGE, answerOf, callChunkOf, chunkOf, chunksOfWhole, usageChunkOf } from './chat-shapes';
import type { VendorCall, VendorCodec, VendorWire } from './codec.types';
import type { SplitText, ThoughtSplitter } from './thought-splitter';

type Head = Pick<AnswerHead, 'headers'>;

const typeOf = ({ headers }: Head): string => String(headers['content-type'] ?? '').toLowerCase();

export const isStream = (response: Head): boolean => /event-stream|ndjson/.test(typeOf(response));

/** True for a whole answer, and for a page in place of one; false for a stream whose server names no type. */
export const isWhole = (response: Head): boolean => typeOf(response) !== '' && !isStream(response);

/** Gathers the bytes of an answer that is read as a whole. */
class WholeBody {
  private readonly parts: Buffer[] = [];
  private size = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly status: number,
  ) {}

  add(bytes: Buffer): void {
    this.size += bytes.length;
    if (this.size > this.maxBytes) throw badResponse('The model vendor sent too much');
    this.parts.push(bytes);
  }

  get json(): unknown {
    const [only = Buffer.alloc(0), another] = this.parts;
    return jsonOf((another === undefined ? only : Buffer.concat(this.parts)).toString('utf8'), this.status);
  }
}

/** Reads a whole answer. */
export class WholeAnswer<Kept extends object> implements AnswerSink<ModelAnswer> {
  private readonly body: WholeBody;

  constructor(
    private readonly wire: VendorWire<Kept>,
    private readonly call: VendorCall<Kept>,
    status: number,
  ) {
    this.body = new WholeBody(wire.maxBodyBytes ?? MAX_BODY, status);
  }

  take(bytes: Buffer): undefined {
    this.body.add(bytes);
  }

  end(): ModelAnswer {
    return this.wire.whole(this.body.json, this.call);
  }
}

/** Reads a whole answer in place of the stream that was asked for. */
export class WholeAnswerReader<Kept extends object> implements ChunkReader {
  readonly done = false;
  readonly finished = false;
  private readonly body: WholeBody;

  constructor(
    private readonly wire: VendorWire<Kept>,
    private readonly call: VendorCall<Kept>,
    status: number,
  ) {
    this.body = new WholeBody(wire.maxBodyBytes ?? MAX_BODY, status);
  }

  read(bytes: Buffer): void {
    this.body.add(bytes);
  }

  end(): readonly ModelChunk[] {
    const { call, wire } = this;
    const payload = this.body.json;
    if (isJsonObject(payload) && (payload['error'] ?? null) !== null) throw errorInAnswer(payload, call.secrets);
    return chunksOfWhole(call.head, wire.whole(payload, call), call.includeUsage);
  }
}

/** Reads a stream in place of the whole answer that was asked for. */
export class StreamedAnswer implements AnswerSink<ModelAnswer> {
  private readonly chunks: ModelChunk[] = [];
  private size = 0;

  constructor(
    private readonly reader: ChunkReader,
    private readonly call: Pick<VendorCall, 'head'>,
    private readonly maxBytes: number,
  ) {}

  get done(): boolean {
    return this.reader.done;
  }

  take(bytes: Buffer): undefined {
    this.size += bytes.length;
    if (this.size > this.maxBytes) throw badResponse('The model vendor sent too much');
    this.reader.read(bytes, this.chunks);
  }

  end(): ModelAnswer {
    return assembled([...this.chunks, ...this.reader.end()], this.call.head);
  }
}

function assembled(chunks: readonly ModelChunk[], head: VendorCall['head']): ModelAnswer {
  const calls = callsOf(chunks);
  const text = chunks.map((chunk) => chunk.text).join('');
  const reasoning = chunks.map(({ echoed }) => echoed?.reasoning_content ?? '').join('');
  const images = chunks.flatMap((chunk) => chunk.images ?? []);
  const usage = chunks.find((chunk) => chunk.usage !== null)?.usage ?? null;
  const answer = answerOf(head, {
    content: text === '' && calls.length > 0 ? null : text,
    toolCalls: calls,
    finishReason: chunks.find((chunk) => chunk.finishReason !== null)?.finishReason ?? 'stop',
    usage: usage ?? NO_USAGE,
  });
  const echoed = reasoning === '' ? {} : { echoed: { reasoning_content: reasoning } };
  return { ...answer, usage, ...echoed, ...(images.length === 0 ? {} : { images }) };
}

function callsOf(chunks: readonly ModelChunk[]): readonly FunctionCall[] {
  const calls: { id: string; name: string; given: string }[] = [];
  for (const { index, id, name, arguments: text } of chunks.flatMap((chunk) => chunk.calls ?? [])) {
    const call = (calls[index] ??= { id: id ?? '', name: name ?? '', given: '' });
    call.given += text;
  }
  return calls.map(({ id, name, given }) => ({ id, type: 'function', function: { name, arguments: given } }));
}

const MAX_LINE = 4_000_000;

/** Newline-delimited JSON from raw bytes. */
class LineReader {
  private readonly decoder = new StringDecoder('utf8');
  private pending = '';

  /** @throws RangeError when a line does not end */
  read(bytes: Buffer): { readonly data: string }[] {
    const lines = (this.pending + this.decoder.write(bytes)).split('\n');
    this.pending = lines.pop() ?? '';
    if (this.pending.length > MAX_LINE) throw new RangeError('The line does not end');
    return filled(lines);
  }

  /** The unfinished line at the end. */
  end(): { readonly data: string }[] {
    return filled([this.pending + this.decoder.end()]);
  }
}

const filled = (lines: readonly string[]) => lines.filter((line) => line.trim() !== '').map((data) => ({ data }));

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
