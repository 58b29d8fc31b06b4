import { StringDecoder } from 'node:string_decoder';
import { isJsonObject, type JsonObject } from '../../../kernel';
import type { FunctionCallDelta, ModelChunk } from '../../contract';
import { callChunkOf, chunkOf, usageChunkOf, type AnswerHead } from '../../shapes';
import { badResponse, errorInAnswer, truncated, type ChunkReader } from '../../transport';
import { readOllamaMessage, sizeOf, type OllamaMessage } from './ollama-answer';

export interface OllamaStreamOptions {
  readonly head: AnswerHead;
  readonly includeUsage: boolean;
  readonly maxAnswerChars: number;
  readonly secrets: readonly (string | null)[];
}

const MAX_LINE = 4_000_000;

/** One JSON object per line, the last of them `done: true`; becomes OpenAI's chunks. */
export class OllamaStreamReader implements ChunkReader {
  finished = false;
  private readonly decoder = new StringDecoder('utf8');
  private pending = '';
  private answerChars = 0;
  private calls = 0;
  private begun = false;

  constructor(private readonly options: OllamaStreamOptions) {}

  get done(): boolean {
    return this.finished;
  }

  read(bytes: Buffer, chunks: ModelChunk[]): void {
    const lines = (this.pending + this.decoder.write(bytes)).split('\n');
    this.pending = lines.pop() ?? '';
    if (this.pending.length > MAX_LINE) throw badResponse('The model vendor sent a line without an end');
    for (const line of lines) this.accept(line, chunks);
  }

  end(): readonly ModelChunk[] {
    const chunks: ModelChunk[] = [];
    this.accept(this.pending, chunks);
    if (!this.finished) throw truncated();
    return chunks;
  }

  private accept(line: string, chunks: ModelChunk[]): void {
    if (line.trim() === '' || this.finished) return;
    const payload = this.parse(line);
    if ('error' in payload) throw errorInAnswer(payload, this.options.secrets);
    const message = readOllamaMessage(payload, this.calls);
    this.count(message);
    const { head, includeUsage } = this.options;
    if (!this.begun) chunks.push(chunkOf(head, { role: 'assistant', content: '' }));
    this.begun = true;
    if (message.content !== '') chunks.push(chunkOf(head, { content: message.content }));
    if (message.toolCalls.length > 0) chunks.push(callChunkOf(head, this.numbered(message)));
    if (message.finishReason === null) return;
    this.finished = true;
    const finish = chunkOf(head, {}, message.finishReason);
    if (includeUsage) chunks.push(finish, usageChunkOf(head, message.usage));
    else chunks.push({ ...finish, usage: message.usage });
  }

  private numbered({ toolCalls }: OllamaMessage): FunctionCallDelta[] {
    return toolCalls.map(({ id, function: { name, arguments: given } }) => ({
      index: this.calls++,
      id,
      name,
      arguments: given,
    }));
  }

  private count(message: OllamaMessage): void {
    this.answerChars += sizeOf(message);
    if (this.answerChars > this.options.maxAnswerChars) throw truncated('The answer of the model vendor is too long');
  }

  private parse(line: string): JsonObject {
    let payload: unknown;
    try {
      payload = JSON.parse(line);
    } catch {
      throw this.begun ? truncated() : badResponse('The model vendor sent no JSON');
    }
    if (!isJsonObject(payload)) throw badResponse('A line of the model vendor is no object');
    return payload;
  }
}
