import { isJsonObject, type FunctionCall, type JsonObject, type Usage } from '@bellwether/kernel';
import type { ModelImage } from '../../contract';
import { AnswerBudget, type AnswerDecoder, callId, charsOf, type Gain, MAX_CALLS } from '../../vendor';
import { badResponse } from '../../transport';
import { PartialArguments } from './partial-arguments';

/** Gemini's finish reasons (ai.google.dev/api/generate-content#FinishReason) as OpenAI's `finish_reason`. */
const FINISH_REASONS: ReadonlyMap<unknown, string> = new Map([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ...[
    'SAFETY',
    'RECITATION',
    'LANGUAGE',
    'BLOCKLIST',
    'PROHIBITED_CONTENT',
    'SPII',
    'IMAGE_SAFETY',
    'IMAGE_PROHIBITED_CONTENT',
    'IMAGE_RECITATION',
  ].map((reason) => [reason, 'content_filter'] as const),
]);

/** Base64 characters of all images of an answer: enough for one of the largest size or several of the usual size. */
const MAX_IMAGE_CHARS = 60_000_000;
const MAX_IMAGES = 16;

/** Gemini's thought signature. The next request must return it together with its call. */
export interface Signature {
  readonly text: string;
}

interface OpenCall {
  readonly id: string | null;
  readonly name: string;
  readonly args: PartialArguments;
}

/** Puts one answer together from its chunks; a whole answer is one chunk. */
export class GeminiAnswer implements AnswerDecoder<Signature> {
  /** Gemini does not mark the last event. */
  readonly done = false;
  usage: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  readonly kept = new Map<string, Signature>();
  private reason: string | null = null;
  private calls = 0;
  private said = false;
  private images = 0;
  private imageChars = 0;
  private open: OpenCall | null = null;
  private openSignature: string | null = null;

  private readonly budget: AnswerBudget;
  /** Budget of argument pieces and signatures, which are held until their call is complete. */
  private readonly pieces: AnswerBudget;

  constructor(maxAnswerChars: number) {
    this.budget = new AnswerBudget(maxAnswerChars);
    this.pieces = new AnswerBudget(maxAnswerChars);
  }

  /** @throws AppError `upstream_bad_response` */
  add(payload: JsonObject): Gain {
    this.count(payload['usageMetadata']);
    const blocked = payload['promptFeedback'];
    if (isJsonObject(blocked) && typeof blocked['blockReason'] === 'string') this.reason ??= 'SAFETY';
    const [candidate] = Array.isArray(payload['candidates']) ? (payload['candidates'] as unknown[]) : [];
    if (!isJsonObject(candidate)) return { text: '', calls: [], images: [] };
    const content = candidate['content'];
    const parts = isJsonObject(content) && Array.isArray(content['parts']) ? content['parts'].filter(isJsonObject) : [];
    const finished = candidate['finishReason'];
    const calls = parts.flatMap((part) => this.callIn(part));
    if (typeof finished === 'string') {
      this.reason = finished;
      calls.push(...this.close());
    }
    const spoken = parts.filter(({ thought }) => thought !== true);
    const text = spoken.map((part) => (typeof part['text'] === 'string' ? part['text'] : '')).join('');
    const images = spoken.flatMap((part) => this.imageIn(part));
    this.calls += calls.length;
    if (this.calls > MAX_CALLS) throw badResponse('The model vendor sent too many function calls');
    this.budget.spend(charsOf(text, calls));
    this.said ||= text !== '' || images.length > 0;
    return { text, calls, images };
  }

  get finished(): boolean {
    return this.reason !== null;
  }

  /** @throws AppError `upstream_bad_response` when the answer ended without text, image or call */
  get finishReason(): string {
    if (this.calls > 0) return this.reason === 'MAX_TOKENS' ? 'length' : 'tool_calls';
    const known = FINISH_REASONS.get(this.reason);
    if (this.said || known === 'length' || known === 'content_filter') return known ?? 'stop';
    const named = /^[A-Z_]{1,60}$/.test(this.reason ?? '') ? ` (${this.reason ?? ''})` : '';
    throw badResponse(`The model ended without an answer${named}`);
  }

  /** Gemini sends a call whole, or first its name and then its arguments value by value. */
  private callIn(part: JsonObject): FunctionCall[] {
    const call = part['functionCall'];
    if (!isJsonObject(call)) return typeof part['text'] === 'string' ? this.close() : [];
    const ended = typeof call['name'] === 'string' ? this.close() : [];
    if (typeof call['name'] === 'string') this.begin(call['name'], call['id'], part['thoughtSignature']);
    const pieces: unknown = call['partialArgs'];
    for (const piece of Array.isArray(pieces) ? (pieces as unknown[]) : []) {
      if (this.open === null) break;
      this.pieces.spend(JSON.stringify(piece).length);
      this.open.args.add(piece);
    }
    return call['willContinue'] === true ? ended : [...ended, ...this.close(call['args'])];
  }

  private begin(name: string, id: unknown, signature: unknown): void {
    this.open = { id: typeof id === 'string' && id !== '' ? id : null, name, args: new PartialArguments() };
    this.openSignature = typeof signature === 'string' ? signature : null;
    this.pieces.spend(name.length + (this.openSignature?.length ?? 0));
  }

  private imageIn({ inlineData: inline }: JsonObject): ModelImage[] {
    if (!isJsonObject(inline) || typeof inline['data'] !== 'string') return [];
    const mediaType = inline['mimeType'];
    if (typeof mediaType !== 'string' || !mediaType.startsWith('image/')) return [];
    this.images += 1;
    this.imageChars += inline['data'].length;
    if (this.images > MAX_IMAGES || this.imageChars > MAX_IMAGE_CHARS)
      throw badResponse('The model vendor sent too many images');
    return [{ mediaType, bytes: Buffer.from(inline['data'], 'base64') }];
  }

  private close(args?: unknown): FunctionCall[] {
    const { open } = this;
    if (open === null) return [];
    this.open = null;
    const id = open.id ?? callId();
    if (this.openSignature !== null) this.kept.set(id, { text: this.openSignature });
    const text = isJsonObject(args) ? JSON.stringify(args) : open.args.text();
    return [{ id, type: 'function', function: { name: open.name, arguments: text } }];
  }

  /** Each chunk holds the totals so far. Thinking tokens are billed as completion tokens. */
  private count(metadata: unknown): void {
    if (!isJsonObject(metadata)) return;
    const of = (name: string): number => (Number.isSafeInteger(metadata[name]) ? (metadata[name] as number) : 0);
    const prompt = of('promptTokenCount') + of('toolUsePromptTokenCount');
    const completion = of('candidatesTokenCount') + of('thoughtsTokenCount');
    if (prompt + completion === 0) return;
    const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
    const cached = of('cachedContentTokenCount');
    this.usage = cached === 0 ? usage : { ...usage, ...{ prompt_tokens_details: { cached_tokens: cached } } };
  }
}
