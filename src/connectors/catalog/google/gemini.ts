import { type FunctionCall, type JsonObject, type Usage, isJsonObject } from '@bellwether/kernel';
import type { ModelImage, ModelTarget } from '../../contract';
import { UpstreamFailure, badResponse, errorInAnswer } from '../../transport';
import {
  AnswerBudget,
  type AnswerDecoder,
  type Gain,
  MAX_CALLS,
  type VendorCall,
  type VendorCodec,
  type VendorPost,
  callId,
  charsOf,
  countOf,
} from '../../vendor';

/** Longest array: a large index must not allocate memory. */
const MAX_INDEX = 999;
/** Most skipped elements in all arrays together. Each becomes a null. */
const MAX_SKIPPED = 1_000;
const MAX_DEPTH = 32;
const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]/gy;

type Container = Record<string, unknown> | unknown[];

/** Arguments that arrive value by value, each with its place (`$.items[1].name`). */
class PartialArguments {
  // Without a prototype, so that `__proto__` is an ordinary name.
  private readonly root = Object.create(null) as Record<string, unknown>;

  private skipped = 0;

  /** False when the piece has no place that can be read. */
  add(piece: unknown): boolean {
    if (!isJsonObject(piece) || typeof piece['jsonPath'] !== 'string') return false;
    const path = stepsOf(piece['jsonPath']);
    const last = path?.pop();
    if (path === null || last === undefined) return false;
    const holder = this.holderOf(path, last);
    if (holder === null || !this.takes(holder, last)) return false;
    const slots = holder as Record<string | number, unknown>;
    const value = valueOf(piece);
    const before = slots[last];
    slots[last] = typeof before === 'string' && typeof value === 'string' ? before + value : value;
    return true;
  }

  text(): string {
    return JSON.stringify(this.root);
  }

  private takes(holder: Container, step: string | number): boolean {
    if (!Array.isArray(holder)) return typeof step === 'string';
    if (typeof step === 'string') return false;
    this.skipped += Math.max(0, step - holder.length);
    return this.skipped <= MAX_SKIPPED;
  }

  private holderOf(path: readonly (string | number)[], last: string | number): Container | null {
    let holder: Container = this.root;
    const following = [...path.slice(1), last];
    for (const [position, step] of path.entries()) {
      if (!this.takes(holder, step)) return null;
      const slots = holder as Record<string | number, unknown>;
      const made: Container = typeof following[position] === 'number' ? [] : (Object.create(null) as Container);
      const next = (slots[step] ??= made);
      if (typeof next !== 'object' || next === null) return null;
      holder = next as Container;
    }
    return holder;
  }
}

/** Null for an invalid or too deep path. */
function stepsOf(path: string): (string | number)[] | null {
  if (!path.startsWith('$') || path.length > 2_000) return null;
  const steps: (string | number)[] = [];
  let end = 1;
  for (const match of path.slice(1).matchAll(STEP)) {
    const [whole, name, index, quoted] = match;
    end += whole.length;
    if (index !== undefined && Number(index) > MAX_INDEX) return null;
    steps.push(index === undefined ? (name ?? (quoted ?? '').replace(/\\(.)/g, '$1')) : Number(index));
  }
  return end === path.length && steps.length > 0 && steps.length <= MAX_DEPTH ? steps : null;
}

const valueOf = (piece: JsonObject): unknown =>
  piece['stringValue'] ?? piece['numberValue'] ?? piece['boolValue'] ?? null;

/** Google's status codes (google.rpc.Code) as the OpenAI codes that the error mapping knows. */
const TYPES: ReadonlyMap<unknown, string> = new Map([
  ['RESOURCE_EXHAUSTED', 'rate_limit_exceeded'],
  ['UNAUTHENTICATED', 'authentication_error'],
  ['PERMISSION_DENIED', 'permission_error'],
  ['INVALID_ARGUMENT', 'invalid_request_error'],
  ['FAILED_PRECONDITION', 'invalid_request_error'],
  ['NOT_FOUND', 'invalid_request_error'],
]);
const PASSING: ReadonlySet<unknown> = new Set(['UNAVAILABLE', 'INTERNAL', 'DEADLINE_EXCEEDED', 'RESOURCE_EXHAUSTED']);

/** `{error: {code, message, status}}` inside an answer with status 200. */
function geminiFailure(payload: JsonObject, secrets: readonly (string | null)[]): UpstreamFailure | null {
  if ((payload['error'] ?? null) === null) return null;
  const error = isJsonObject(payload['error']) ? payload['error'] : {};
  const known = { error: { message: error['message'], type: TYPES.get(error['status']) ?? 'server_error' } };
  return new UpstreamFailure(errorInAnswer(known, secrets).error, PASSING.has(error['status']));
}

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
interface Signature {
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
    const of = (name: string): number => countOf(metadata[name]);
    const prompt = of('promptTokenCount') + of('toolUsePromptTokenCount');
    const completion = of('candidatesTokenCount') + of('thoughtsTokenCount');
    if (prompt + completion === 0) return;
    const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
    const cached = of('cachedContentTokenCount');
    this.usage = cached === 0 ? usage : { ...usage, ...{ prompt_tokens_details: { cached_tokens: cached } } };
  }
}

/** Bytes of one answer, which may hold whole images. */
const MAX_BODY = 64 * 1024 * 1024;
/** A whole image comes in one event. */
const MAX_EVENT = 30_000_000;

/** Google's `generateContent` over REST (ai.google.dev/api/generate-content). The caller builds the body. */
export const GEMINI = {
  framing: 'sse',
  maxBodyBytes: MAX_BODY,
  maxEventChars: MAX_EVENT,
  decoder: (maxAnswerChars: number) => new GeminiAnswer(maxAnswerChars),
  failure: geminiFailure,
} as const satisfies Omit<VendorCodec<Signature>, 'encode'>;

/** Before each path, unless the base URL names a version. */
export const versionFor = ({ baseUrl }: ModelTarget): string =>
  /\/v1(?:beta|alpha)?\d*\/?$/.test(baseUrl) ? '' : '/v1beta';

export const keyHeader = ({ apiKey }: ModelTarget): Record<string, string> =>
  apiKey === null ? {} : { 'x-goog-api-key': apiKey };

export function geminiPost({ request, target, stream }: VendorCall<Signature>, body: JsonObject): VendorPost {
  const name = encodeURIComponent(request.model.replace(/^models\//, ''));
  const path = `${versionFor(target)}/models/${name}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
  return { path, headers: keyHeader(target), body };
}
