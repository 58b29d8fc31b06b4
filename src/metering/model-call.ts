import {
  AppError,
  type ChatMessage,
  type ErrorCode,
  type JsonObject,
  type Usage,
  isTextPart,
} from '@bellwether/kernel';
import { NO_USAGE, type UsageFigures } from './usage.repository';

/** English has about four characters a token, many other languages three. */
const CHARS_PER_TOKEN = 3;
/** Roles and separators of one message. */
const TOKENS_PER_MESSAGE = 4;
/** OpenAI and Anthropic count some 750 to 1 600 tokens for an image of usual size. */
const TOKENS_PER_IMAGE = 1_000;

export const tokensOfChars = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN);

/** An upper estimate of the tokens of a prompt. */
export function promptTokens(messages: readonly ChatMessage[]): number {
  let chars = 0;
  let fixed = 0;
  for (const { content } of messages) {
    fixed += TOKENS_PER_MESSAGE;
    if (typeof content === 'string') chars += content.length;
    else
      for (const part of content ?? []) {
        if (isTextPart(part)) chars += part.text.length;
        else fixed += TOKENS_PER_IMAGE;
      }
  }
  return fixed + tokensOfChars(chars);
}

/** Failures before the vendor has made a token. */
const FREE: ReadonlySet<ErrorCode> = new Set([
  'upstream_rejected',
  'upstream_rate_limited',
  'upstream_auth',
  'upstream_error',
  'outbound_refused',
  'connector_not_configured',
  'secret_unavailable',
]);

/** Tokens of an answer without a limit of its own, and of each extension of a longer one. */
const EXPECTED_TOKENS = 1_000;
/** More than any model answers. Larger numbers do not fit the counters. */
const MOST_TOKENS = 1_000_000_000;

/** The client's limit of the answer, else the usual length. */
export function expectedTokens({ max_completion_tokens: newer, max_tokens: older }: JsonObject): number {
  const limit = newer ?? older;
  return typeof limit === 'number' && Number.isInteger(limit) && limit >= 0
    ? Math.min(limit, MOST_TOKENS)
    : EXPECTED_TOKENS;
}

/** A piece of a vendor's answer. */
interface Piece {
  readonly text: string;
  readonly usage: Usage | null;
  readonly calls?: readonly { readonly arguments: string | { readonly length: number } }[];
}

/** Names of the OpenTelemetry conventions. */
export type ModelOperation = 'chat' | 'embeddings' | 'rerank' | 'translate';

const isCount = (tokens: number): boolean => Number.isInteger(tokens) && tokens >= 0 && tokens <= MOST_TOKENS;

/** Negative counts would give back what other runs have used of a rule; others do not fit its counter. */
const isCredible = ({ prompt_tokens: prompt, completion_tokens: completion }: Usage): boolean =>
  isCount(prompt) && isCount(completion);

/** One request to a vendor, from its start to its figures. */
export class ModelCall {
  /** Monotonic milliseconds. */
  startedAt = performance.now();
  /** Milliseconds until the first piece of a streamed answer; null before it, and for whole answers. */
  firstChunkMs: number | null = null;
  private chars = 0;
  private usage: Usage | null = null;
  private failed: ErrorCode | null = null;

  constructor(
    readonly operation: ModelOperation,
    readonly provider: string,
    readonly model: string,
    /** Estimated tokens of the prompt. */
    private readonly prompt: number,
    /** Estimated tokens of the answer. */
    private answer: number,
  ) {}

  /** The figures that are reserved. */
  get expected(): UsageFigures {
    return { ...NO_USAGE, promptTokens: this.prompt, completionTokens: this.answer };
  }

  /** The answer so far is longer than expected. */
  get isLong(): boolean {
    return tokensOfChars(this.chars) > this.answer;
  }

  expectMore(): void {
    this.answer = tokensOfChars(this.chars) + EXPECTED_TOKENS;
  }

  get failure(): ErrorCode | null {
    return this.failed;
  }

  /** A piece of a streamed answer. */
  receiveChunk(piece: Piece): void {
    this.firstChunkMs ??= performance.now() - this.startedAt;
    this.receive(piece);
  }

  /** A whole answer. */
  receive({ text, usage, calls }: Piece): void {
    this.chars += text.length;
    if (usage !== null) this.usage = usage;
    if (calls !== undefined) for (const call of calls) this.chars += call.arguments.length;
  }

  fail(error: unknown): void {
    this.failed = error instanceof AppError ? error.code : 'cancelled';
  }

  /** The vendor's figures; without any that can be true, an estimate from what was received. */
  get figures(): UsageFigures {
    const { usage } = this;
    if (usage !== null && isCredible(usage)) {
      const {
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        prompt_tokens_details: details,
      } = usage;
      const cachedTokens = Math.max(0, Math.min(details?.cached_tokens ?? 0, promptTokens));
      return { ...NO_USAGE, modelCalls: 1, promptTokens, completionTokens, cachedTokens };
    }
    if (this.failed !== null && this.chars === 0 && FREE.has(this.failed)) return { ...NO_USAGE, modelCalls: 1 };
    const completionTokens = tokensOfChars(this.chars);
    return { ...NO_USAGE, modelCalls: 1, estimatedCalls: 1, promptTokens: this.prompt, completionTokens };
  }
}
