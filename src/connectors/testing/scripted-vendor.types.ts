import type { JsonObject, Usage } from '@bellwether/kernel';

/** The answer of a scripted vendor. A dialect (test/support/dialects) writes it in the vendor's format. */
export interface VendorAnswer {
  readonly content?: string | null;
  /** Arguments are JSON text of an object. */
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: string; readonly id?: string }[];
  /** Finish reason in OpenAI's vocabulary. Default: `tool_calls` for answers with calls, else `stop`. */
  readonly finishReason?: string;
  /** The vendor's model name in the answer. Default: the requested one. */
  readonly model?: string;
  readonly usage?: Usage;
  /** Pieces of `content` in a stream. Default: words with their spaces. */
  readonly pieces?: readonly string[];
  /** Characters per streamed piece of a call's arguments; calls take turns. Default: one piece per call. */
  readonly argumentPieces?: number;
  readonly images?: readonly VendorImage[];
  /** Compresses the body, though nobody asked for it. */
  readonly coding?: 'gzip' | 'br' | 'deflate';
  /** Answers whole where a stream was asked for, and the other way round. */
  readonly otherFraming?: boolean;
}

export interface VendorImage {
  /** null where the format does not tell it. */
  readonly mediaType: string | null;
  readonly base64: string;
}

/** A request to the vendor, decoded from its wire format. */
export interface VendorQuestion {
  readonly model: string;
  readonly stream: boolean;
  /** All instructions, joined by blank lines; '' when there are none. */
  readonly system: string;
  /** Everything else, in order. */
  readonly turns: readonly VendorTurn[];
  readonly functions: readonly {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonObject;
  }[];
  /** A function's name where the vendor must call that one; `auto` unless it is told otherwise. */
  readonly choice: 'auto' | 'none' | 'required' | { readonly name: string };
  readonly temperature: number | null;
  readonly maxTokens: number | null;
}

export interface VendorTurn {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly images: readonly VendorImage[];
  readonly calls: readonly { readonly id: string | null; readonly name: string; readonly arguments: unknown }[];
  /** Id or name of the call that it answers, whichever the format has. */
  readonly results: readonly { readonly id: string | null; readonly name: string | null; readonly content: string }[];
}

/** How a scripted vendor can fail; each in its own wire format. */
export const VENDOR_FAULTS = [
  'unauthorized',
  'bad-request',
  'not-found',
  'rate-limited',
  'server-error',
  'html-bad-gateway',
  'reset',
  'no-answer',
  'html',
  'empty-object',
  'stall-after-headers',
  'stall-mid-stream',
  'cut-mid-stream',
  'end-without-finish',
  'malformed-event',
  'error-object-mid-stream',
  'endless-line',
  'byte-by-byte',
] as const;
export type VendorFault = (typeof VENDOR_FAULTS)[number];

/** Text in the bodies of faults. It must not reach a client. */
export const CANARY = 'upstream-internal-detail';
/** The text before a failure in the middle of a stream. */
export const PARTIAL_TEXT = 'Half an ';
/** The whole answer of `byte-by-byte`: several bytes per character on purpose. */
export const TRICKY_TEXT = 'Càlcul → 𝛑 ≈ 3,14 🙂';

/** A vendor that does as it is told, for the conformance suite. */
export interface ScriptedVendor {
  /** The next `times` calls, plain or streamed as they ask, are answered so. */
  answers(answer: VendorAnswer, times?: number): void;
  fails(fault: VendorFault, times?: number): void;
  /** Requests so far. */
  questions(): readonly VendorQuestion[];
  /** Settles when the last call's caller hangs up before its answer is finished. */
  hungUp(): Promise<unknown>;
  /** Forgets what was scripted and asked. */
  reset(): void;
}
