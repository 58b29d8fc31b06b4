import { isJsonObject, type JsonObject } from '../../kernel';
import type { ModelChunk } from '../contract';
import { callChunk, charsOf } from '../native';
import { chunkOf, usageChunkOf, type AnswerHead } from '../shapes';
import { badResponse, SseReader, truncated, type ChunkReader } from '../transport';
import { GeminiAnswer } from './gemini-answer';
import { geminiFailure } from './gemini-failure';

export interface GeminiStreamOptions {
  readonly head: AnswerHead;
  readonly includeUsage: boolean;
  readonly maxAnswerChars: number;
  readonly secrets: readonly (string | null)[];
  readonly keep: (signatures: ReadonlyMap<string, string>) => void;
}

/** A whole image comes in one line. */
const MAX_LINE = 30_000_000;

/** Reads `streamGenerateContent?alt=sse`: parts of one answer until the body ends; nothing marks the last. */
export class GeminiStreamReader implements ChunkReader {
  readonly done = false;
  private readonly sse = new SseReader(MAX_LINE);
  private readonly answer: GeminiAnswer;
  private begun = false;
  private answerChars = 0;
  private calls = 0;

  constructor(private readonly options: GeminiStreamOptions) {
    this.answer = new GeminiAnswer(options.maxAnswerChars);
  }

  get finished(): boolean {
    return this.answer.finished;
  }

  read(bytes: Buffer, chunks: ModelChunk[]): void {
    let events;
    try {
      events = this.sse.read(bytes);
    } catch (error) {
      throw badResponse('The model vendor sent a line without an end', error);
    }
    for (const { data } of events) this.accept(data, chunks);
  }

  end(): readonly ModelChunk[] {
    const chunks: ModelChunk[] = [];
    if (!this.finished) for (const { data } of this.sse.end()) this.accept(data, chunks);
    if (!this.finished) {
      throw this.begun ? truncated() : badResponse('The answer of the model vendor holds no candidates');
    }
    const finish = chunkOf(this.options.head, {}, this.answer.finishReason);
    this.begin(chunks);
    const { usage, signatures } = this.answer;
    if (signatures.size > 0) this.options.keep(signatures);
    if (this.options.includeUsage) chunks.push(finish, usageChunkOf(this.options.head, usage));
    else chunks.push({ ...finish, usage });
    return chunks;
  }

  private accept(data: string, chunks: ModelChunk[]): void {
    const payload = this.parse(data);
    if ((payload['error'] ?? null) !== null) throw this.failure(payload);
    const { text, calls, images } = this.answer.add(payload);
    const { head } = this.options;
    this.count(charsOf(text, calls));
    if (text !== '' || calls.length > 0 || images.length > 0) this.begin(chunks);
    if (text !== '') chunks.push(chunkOf(head, { content: text }));
    for (const call of calls) chunks.push(callChunk(head, this.calls++, call));
    if (images.length > 0) chunks.push({ ...chunkOf(head, { content: '' }), images });
  }

  /** Asked again only while nothing was handed over. */
  private failure(payload: JsonObject): Error {
    const failure = geminiFailure(payload, this.options.secrets);
    return this.begun ? failure.error : failure;
  }

  private begin(chunks: ModelChunk[]): void {
    if (!this.begun) chunks.push(chunkOf(this.options.head, { role: 'assistant', content: '' }));
    this.begun = true;
  }

  private count(chars: number): void {
    this.answerChars += chars;
    if (this.answerChars > this.options.maxAnswerChars) throw truncated('The answer of the model vendor is too long');
  }

  private parse(data: string): JsonObject {
    let payload: unknown;
    try {
      payload = JSON.parse(data);
    } catch {
      throw this.begun ? truncated() : badResponse('The model vendor sent no JSON');
    }
    if (!isJsonObject(payload)) throw badResponse('A chunk of the model vendor is no object');
    return payload;
  }
}
