import type { ChatMessage, FunctionCall, JsonObject, Usage } from '@bellwether/kernel';
import type { ModelAnswer, ModelImage, ModelRequest, ModelTarget } from '../contract';
import type { ChunkReader } from '../transport';
import type { AnswerHead } from './chat-shapes';
import type { InlineImages } from './inline-images';
import type { ThoughtSplitter } from './thought-splitter';

/** One call of a vendor. */
export interface VendorCall<Kept extends object = object> {
  readonly request: ModelRequest;
  readonly target: ModelTarget;
  readonly stream: boolean;
  /** Images of `imageMessages`, by the address in the message. */
  readonly images: InlineImages;
  readonly head: AnswerHead;
  /** The client asked for OpenAI's usage chunk. */
  readonly includeUsage: boolean;
  readonly maxAnswerChars: number;
  /** Never to appear in an error. */
  readonly secrets: readonly (string | null)[];
  /** The value that an earlier answer of this conversation kept under the id of a function call. */
  readonly recall: (callId: string) => Kept | undefined;
  readonly keep: (callId: string, kept: Kept) => void;
  /** Makes a splitter for the text of one streamed answer. */
  readonly thoughts: () => ThoughtSplitter;
}

export interface VendorPost {
  /** Appended to the base URL; may hold a query. */
  readonly path: string;
  /** The vendor's own headers, the key among them; OpenAI's way when absent. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** A vendor's wire format: everything that differs between vendors. */
export interface VendorWire<Kept extends object = object> {
  /** Messages whose images are sent as bytes; absent: the vendor is given their addresses. @throws AppError */
  readonly imageMessages?: (request: ModelRequest) => readonly ChatMessage[];
  /** @throws AppError `upstream_rejected` for what the vendor cannot take */
  readonly encode: (call: VendorCall<Kept>) => VendorPost;
  /** Reads a whole answer. @throws AppError, or `UpstreamFailure` for a failure that may pass */
  readonly whole: (payload: unknown, call: VendorCall<Kept>) => ModelAnswer;
  /** Reads a stream; absent: the vendor is asked for whole answers only. */
  readonly reader?: (call: VendorCall<Kept>) => ChunkReader;
  /** True for vendors whose streams are server-sent events: another type in their place is an error. */
  readonly eventStream: boolean;
  /** Longest whole answer, in bytes, where it is not the usual one. */
  readonly maxBodyBytes?: number;
}

/** The part of an answer that one event adds. */
export interface Gain {
  readonly text: string;
  readonly calls: readonly FunctionCall[];
  readonly images: readonly ModelImage[];
}

/** Assembles one answer from a vendor's events. A whole answer is one event. */
export interface AnswerDecoder<Kept extends object = object> {
  /** @throws AppError `upstream_bad_response`, `upstream_truncated` */
  add(event: JsonObject): Gain;
  /** True once the vendor told how the answer ended. */
  readonly finished: boolean;
  /** True once nothing more is expected. */
  readonly done: boolean;
  /** Finish reason in OpenAI's words. @throws AppError when the answer says nothing */
  readonly finishReason: string;
  readonly usage: Usage;
  /** Values to send back with the results of calls, by call id. */
  readonly kept: ReadonlyMap<string, Kept>;
}

/** A wire format that shares nothing with OpenAI's. */
export interface VendorCodec<Kept extends object = object> extends Pick<
  VendorWire<Kept>,
  'imageMessages' | 'encode' | 'maxBodyBytes'
> {
  /** How the events of a stream are separated. */
  readonly framing: 'sse' | 'lines';
  /** Longest event, in characters, where it is not the usual one. */
  readonly maxEventChars?: number;
  decoder(maxAnswerChars: number): AnswerDecoder<Kept>;
  /** The failure that an event stands for; null for a part of an answer. */
  failure(event: JsonObject, secrets: readonly (string | null)[]): Error | null;
}
