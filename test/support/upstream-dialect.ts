import type { VendorAnswer, VendorQuestion } from '../../src/connectors/testing/scripted-vendor.types';
import type { UpstreamRequest } from './upstream.types';

/**
 * A vendor's wire format, as the scripted upstream speaks it. One file per vendor in `dialects/`, one line in its
 * `index.ts`; a call is answered in the dialect that serves its path. Everything is written from the vendor's own
 * documentation and checked with its official client, never from our connector.
 */
export interface Dialect {
  readonly name: string;
  /** Appended to the upstream's address for a connector's base URL: '' or e.g. `/v1`. */
  readonly basePath: string;
  /** Content type of a stream. */
  readonly streamType: string;
  /** True for the path (without query) of its chat calls. */
  serves(path: string): boolean;
  /** Whether the call asks for a stream. */
  streams(request: UpstreamRequest): boolean;
  question(request: UpstreamRequest): VendorQuestion;
  /** Body of a whole answer. */
  whole(answer: VendorAnswer, request: UpstreamRequest): object;
  /** The stream, each frame with its framing (`data: …\n\n`, a line, …), the end mark included. Text stands unescaped in its frames. */
  frames(answer: VendorAnswer, request: UpstreamRequest): readonly string[];
  /** Body of an answer with this status. `type` and `code` are OpenAI's words for it. */
  refusal(refusal: VendorRefusal): object;
  /** The frame that reports a failure inside a stream. */
  errorFrame(message: string): string;
}

export interface VendorRefusal {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
}

/** `content` in the pieces in which it streams. */
export const piecesOf = ({ content, pieces }: VendorAnswer): readonly string[] =>
  pieces ?? (content ?? '').match(/\S+\s*|\s+/g) ?? [];

interface ArgumentPiece {
  /** Position of the call. */
  readonly call: number;
  readonly text: string;
  /** True for the first piece of its call. */
  readonly first: boolean;
}

/** The pieces of the calls' arguments in the order in which they stream. */
export function argumentPieces({ toolCalls = [], argumentPieces: size }: VendorAnswer): readonly ArgumentPiece[] {
  const cut = toolCalls.map(({ arguments: text }) =>
    size === undefined ? [text] : (text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? ['']),
  );
  const rounds = Math.max(0, ...cut.map((pieces) => pieces.length));
  return Array.from({ length: rounds }, (_, round) =>
    cut.flatMap((pieces, call) => {
      const text = pieces[round];
      return text === undefined ? [] : [{ call, text, first: round === 0 }];
    }),
  ).flat();
}

export const finishOf = (answer: VendorAnswer): string =>
  answer.finishReason ?? (answer.toolCalls === undefined ? 'stop' : 'tool_calls');

export const SCRIPTED_USAGE = { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 };

/** A value from a request that nobody checked. */
export const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
export const listOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.map(objectOf) : [];
export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
