import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { isJsonObject, type FunctionCall } from '../../kernel';
import type { ModelAnswer, ModelChunk } from '../contract';
import { badResponse, errorInAnswer, jsonOf, MAX_BODY, type ChunkReader } from '../transport';
import { answerOf, chunksOfWhole, NO_USAGE } from './chat-shapes';
import type { VendorCall, VendorWire } from './codec.types';

type Head = Pick<Dispatcher.ResponseData, 'headers'>;

const typeOf = ({ headers }: Head): string => String(headers['content-type'] ?? '').toLowerCase();

export const isStream = (response: Head): boolean => /event-stream|ndjson/.test(typeOf(response));

/** True for a whole answer, and for a page in place of one; false for a stream whose server names no type. */
export const isWhole = (response: Head): boolean => typeOf(response) !== '' && !isStream(response);

/** Reads a whole answer in place of the stream that was asked for. */
export class WholeAnswerReader<Kept extends object> implements ChunkReader {
  readonly done = false;
  readonly finished = false;
  private readonly parts: Buffer[] = [];
  private size = 0;

  constructor(
    private readonly wire: VendorWire<Kept>,
    private readonly call: VendorCall<Kept>,
    private readonly status: number,
  ) {}

  read(bytes: Buffer): void {
    this.size += bytes.length;
    if (this.size > (this.wire.maxBodyBytes ?? MAX_BODY)) throw badResponse('The model vendor sent too much');
    this.parts.push(bytes);
  }

  end(): readonly ModelChunk[] {
    const { call, wire } = this;
    const payload = jsonOf(Buffer.concat(this.parts).toString('utf8'), this.status);
    if (isJsonObject(payload) && (payload['error'] ?? null) !== null) throw errorInAnswer(payload, call.secrets);
    return chunksOfWhole(call.head, wire.whole(payload, call), call.includeUsage);
  }
}

/** Reads a stream in place of the whole answer that was asked for. */
export async function answerOfStream(
  body: Readable,
  reader: ChunkReader,
  { head }: Pick<VendorCall, 'head'>,
  maxBytes: number,
): Promise<ModelAnswer> {
  const chunks: ModelChunk[] = [];
  let size = 0;
  for await (const bytes of body as AsyncIterable<Buffer>) {
    size += bytes.length;
    if (size > maxBytes) throw badResponse('The model vendor sent too much');
    reader.read(bytes, chunks);
    if (reader.done) break;
  }
  chunks.push(...reader.end());
  return assembled(chunks, head);
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
