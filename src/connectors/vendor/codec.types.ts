import type { ChatMessage, JsonObject } from '@bellwether/kernel';
import type { AnswerDecoder, ConnectorCall, VendorPost } from '@bellwether/plugin';
import type { ModelAnswer, ModelRequest } from '../contract';
import type { ChunkReader } from '../transport';
import type { AnswerHead } from './chat-shapes';
import type { ThoughtSplitter } from './thought-splitter';

/** One call of a vendor. */
export interface VendorCall<Kept extends object = object> extends ConnectorCall<Kept> {
  readonly runId: string;
  readonly head: AnswerHead;
  /** The client asked for OpenAI's usage chunk. */
  readonly includeUsage: boolean;
  readonly maxAnswerChars: number;
  /** Never to appear in an error. */
  readonly secrets: readonly (string | null)[];
  readonly keep: (callId: string, kept: Kept) => void;
  /** Makes a splitter for the text of one streamed answer. */
  readonly thoughts: () => ThoughtSplitter;
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
