import { isJsonObject, type JsonObject, type Usage } from '@bellwether/kernel';
import type { EchoedMembers, FunctionCallDelta, ModelChunk } from '../../contract';
import { badResponse, type ChunkReader, errorInAnswer, type SseEvent, SseReader, truncated } from '../../transport';
import { type ThoughtSplitter, usageOf, type VendorCall } from '../../vendor';
import { ChoiceRepair, type ChunkChoice } from './choice-repair';
import { strictChunk, type StrictChunk, usesDeltas } from './strict-chunk';

/** Echoed members of a message or a delta; undefined where it has none. */
export function echoedIn({
  reasoning_content: reasoning,
  extra_content: extra,
}: JsonObject): EchoedMembers | undefined {
  if (typeof reasoning !== 'string' && !isJsonObject(extra)) return undefined;
  return {
    ...(typeof reasoning === 'string' ? { reasoning_content: reasoning } : {}),
    ...(isJsonObject(extra) ? { extra_content: extra } : {}),
  };
}

/**
 * Recognises chunks without parsing them. The bytes before and after the text of a delta repeat from chunk to chunk. Head
 * and tail are learned from one parsed chunk. A chunk with the same head and tail around the inside of a valid JSON string
 * is valid JSON of the same shape.
 */
export class KnownDelta {
  private readonly head: string;
  private readonly tail: string;
  private readonly unchanged: boolean;

  private constructor(
    head: string,
    tail: string,
    private readonly outHead: string,
    private readonly outTail: string,
  ) {
    this.head = flat(head);
    this.tail = flat(tail);
    this.unchanged = head === outHead && tail === outTail;
  }

  /** `data` is the vendor's text and `out` ours for the same chunk, whose only delta is `content`; null when its place is unclear. */
  static learn(data: string, out: string, content: string): KnownDelta | null {
    const from = locate(data, content);
    const to = data === out ? from : locate(out, content);
    if (from === null || to === null) return null;
    return new KnownDelta(data.slice(0, from.start), data.slice(from.end), out.slice(0, to.start), out.slice(to.end));
  }

  /** Our text of the chunk and the delta in it, or null when it is not of this shape. */
  match(data: string): { readonly data: string; readonly text: string } | null {
    const { head, tail } = this;
    if (data.length < head.length + tail.length || !data.startsWith(head) || !data.endsWith(tail)) return null;
    const literal = data.slice(head.length, data.length - tail.length);
    const text = unquote(literal);
    if (text === null) return null;
    return { data: this.unchanged ? data : this.outHead + literal + this.outTail, text };
  }
}

/** A copy of its own: V8 compares with a slice of another string six times slower (measured on Node 20). */
const flat = (text: string): string => Buffer.from(text).toString();

/** A quote, a backslash or a control character: what a JSON string cannot hold as it is. A loop, for it runs per token. */
function isPlain(literal: string): boolean {
  for (let at = 0; at < literal.length; at += 1) {
    const code = literal.charCodeAt(at);
    if (code < 0x20 || code === 0x22 || code === 0x5c) return false;
  }
  return true;
}

/** Decodes a JSON string without its quotes; null when it holds more than one string. */
function unquote(literal: string): string | null {
  if (isPlain(literal)) return literal;
  try {
    // Only a string literal parses here: the text is wrapped in quotes, and an unescaped quote inside is an error.
    return JSON.parse(`"${literal}"`) as string;
  } catch {
    return null;
  }
}

const OPENING = /"content":\s*"/g;

/** Position of the content's literal without its quotes; null unless exactly one place reads as `content`. */
function locate(json: string, content: string): { start: number; end: number } | null {
  let found: { start: number; end: number } | null = null;
  for (const match of json.matchAll(OPENING)) {
    const start = match.index + match[0].length;
    const end = closingQuote(json, start);
    if (end === -1) continue;
    if (found !== null) return null;
    if (unquote(json.slice(start, end)) === content) found = { start, end };
    else return null;
  }
  return found;
}

function closingQuote(json: string, start: number): number {
  for (let at = json.indexOf('"', start); at !== -1; at = json.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (json[at - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return -1;
}

export type ChatStreamOptions = Pick<
  VendorCall,
  'request' | 'head' | 'includeUsage' | 'maxAnswerChars' | 'secrets' | 'thoughts'
>;

/** A vendor whose chunks never repeat (random padding in each) is parsed throughout after so many tries at learning. */
const LEARNING_TRIES = 4;

/** More answers at once (`n`) than OpenAI makes. */
const MAX_CHOICES = 128;
const NOTHING_SENT = { calls: [], sentChars: 0 } as const;

/** Reads OpenAI's stream: whole only with a finish reason. A cut body can look like a clean end. */
export class ChatStreamReader implements ChunkReader {
  done = false;
  finished = false;
  private readonly sse = new SseReader();
  private known: KnownDelta | null = null;
  private learned = 0;
  private answerChars = 0;
  private sawChoice = false;
  /** Something has come in a delta, so that a `message` only repeats it. */
  private sawDelta = false;
  /** From the finishing chunk on the last one waits for the usage that follows. */
  private held: ModelChunk | null = null;
  private usage: Usage | null = null;
  private sawUsage = false;
  private readonly repairs = new Map<number, ChoiceRepair>();
  /** Splitter of the first choice, whose text and calls the service reads itself. */
  private readonly thoughts: ThoughtSplitter;
  private latest: StrictChunk['chunk'] | null = null;

  constructor(private readonly options: ChatStreamOptions) {
    this.thoughts = options.thoughts();
    this.repairs.set(0, new ChoiceRepair(options.request, this.thoughts));
  }

  read(bytes: Buffer, chunks: ModelChunk[]): void {
    const events: SseEvent[] = [];
    try {
      this.sse.read(bytes, events);
    } catch (error) {
      throw badResponse('The model vendor sent a line without an end', error);
    }
    for (const event of events) this.accept(event, chunks);
    if (this.done) this.finish(chunks);
  }

  end(): readonly ModelChunk[] {
    const chunks: ModelChunk[] = [];
    if (!this.done && !this.finished) for (const event of this.sse.end()) this.accept(event, chunks);
    if (!this.finished)
      throw this.sawChoice ? truncated() : badResponse('The answer of the model vendor holds no choices');
    this.finish(chunks);
    return chunks;
  }

  private accept(event: SseEvent, chunks: ModelChunk[]): void {
    if (this.done) return;
    const match = event.name === '' ? (this.known?.match(event.data) ?? null) : null;
    if (match !== null) {
      this.flush(chunks);
      this.count(match.text.length);
      this.thoughts.see(match.text);
      chunks.push({ data: match.data, text: match.text, finishReason: null, usage: null });
    } else if (event.data === '[DONE]') {
      this.done = true;
      if (!this.finished) this.conclude();
    } else {
      this.acceptParsed(event, chunks);
    }
  }

  private acceptParsed(event: SseEvent, chunks: ModelChunk[]): void {
    const payload = this.parse(event);
    this.sawDelta ||= usesDeltas(payload);
    const strict = this.repaired(strictChunk(payload, this.options.head, !this.sawDelta));
    const usage = usageOf(strict.chunk.usage);
    if (strict.chunk.choices.length === 0) return this.acceptUsage(strict, usage, chunks);
    this.sawChoice = true;
    this.latest = strict.chunk;
    this.flush(chunks);
    const chunk = this.toChunk(strict, event.data, usage);
    this.finished ||= chunk.finishReason !== null;
    if (this.finished) {
      this.held = chunk;
    } else {
      chunks.push(chunk);
      this.learn(strict, event.data, chunk);
    }
  }

  /** Chunks without choices and usage (a vendor's notes on the prompt) are nothing that a client asked for. */
  private acceptUsage(strict: StrictChunk, usage: Usage | null, chunks: ModelChunk[]): void {
    if (usage === null) return;
    this.sawUsage = true;
    if (!this.options.includeUsage) return this.note(usage);
    this.flush(chunks);
    chunks.push({ data: JSON.stringify(strict.chunk), text: '', finishReason: null, usage });
  }

  private toChunk(strict: StrictChunk, data: string, usage: Usage | null): ModelChunk {
    const { choices } = strict.chunk;
    const finishReason = choices.find((choice) => choice.finish_reason !== null)?.finish_reason ?? null;
    const delta = choices.find((choice) => choice.index === 0)?.delta;
    const text = delta?.content ?? '';
    const { calls, sentChars } = delta === undefined ? NOTHING_SENT : this.repairOf(0);
    const echoed = delta === undefined ? undefined : echoedIn(delta as JsonObject);
    this.count(text.length + sentChars);
    this.note(usage);
    const oneLine = !strict.changed && !data.includes('\n');
    const chunk = { data: oneLine ? data : JSON.stringify(strict.chunk), text, finishReason, usage: null };
    return withMembers(chunk, calls, echoed);
  }

  private repaired(strict: StrictChunk): StrictChunk {
    const given = strict.chunk.choices as unknown as readonly ChunkChoice[];
    const choices = given.map((choice) => this.repairOf(choice.index).of(choice));
    if (choices.every((choice, at) => choice === given[at])) return strict;
    return { chunk: { ...strict.chunk, choices } as unknown as StrictChunk['chunk'], changed: true };
  }

  private repairOf(index: number): ChoiceRepair {
    const known = this.repairs.get(index);
    if (known !== undefined) return known;
    if (this.repairs.size >= MAX_CHOICES) throw badResponse('The model vendor sent too many answers at once');
    const { request, thoughts } = this.options;
    const repair = new ChoiceRepair(request, thoughts());
    this.repairs.set(index, repair);
    return repair;
  }

  private note(usage: Usage | null): void {
    if (usage === null) return;
    this.usage = usage;
    this.sawUsage = true;
  }

  /** Some vendors name no finish reason: an answer that was counted and declared done is whole all the same. */
  private conclude(): void {
    if (this.latest === null || !this.sawUsage) return;
    const { id, object, created, model } = this.latest;
    const choices = [{ index: 0, delta: {}, logprobs: null, finish_reason: 'end' }];
    const chunk = { id, object, created, model, choices } as unknown as StrictChunk['chunk'];
    this.held = this.toChunk(this.repaired({ chunk, changed: true }), '', null);
    this.finished = true;
  }

  private parse(event: SseEvent) {
    let payload: unknown;
    try {
      payload = JSON.parse(event.data);
    } catch {
      // An event cut in the middle and a garbled one look alike: the rest of the answer is lost.
      throw truncated();
    }
    const failed = event.name === 'error' || (isJsonObject(payload) && (payload['error'] ?? null) !== null);
    if (failed) throw errorInAnswer(payload, this.options.secrets);
    if (!isJsonObject(payload)) throw badResponse('A chunk of the model vendor is no object');
    return payload;
  }

  private learn(strict: StrictChunk, data: string, chunk: ModelChunk): void {
    const [choice, another] = strict.chunk.choices;
    if (this.learned >= LEARNING_TRIES || another !== undefined || choice?.index !== 0 || chunk.text === '') return;
    if (Object.keys(choice.delta).length !== 1 || this.usage !== null || !this.thoughts.isPlain) return;
    this.learned += 1;
    this.known = KnownDelta.learn(data, chunk.data, chunk.text);
  }

  private count(chars: number): void {
    this.answerChars += chars;
    if (this.answerChars > this.options.maxAnswerChars) throw truncatedByUs(this.options.maxAnswerChars);
  }

  private flush(chunks: ModelChunk[]): void {
    if (this.held !== null) chunks.push(this.held);
    this.held = null;
  }

  private finish(chunks: ModelChunk[]): void {
    if (this.held !== null && this.usage !== null) this.held = { ...this.held, usage: this.usage };
    this.flush(chunks);
  }
}

/** Members are absent in the many chunks without any. */
function withMembers(
  chunk: ModelChunk,
  calls: readonly FunctionCallDelta[],
  echoed: EchoedMembers | undefined,
): ModelChunk {
  if (calls.length === 0) return echoed === undefined ? chunk : { ...chunk, echoed };
  return echoed === undefined ? { ...chunk, calls } : { ...chunk, calls, echoed };
}

const truncatedByUs = (limit: number) =>
  truncated(`The answer was cut: it is longer than ${limit.toLocaleString('en')} characters`);
