import type { JsonObject } from '../values/json';

/** Shapes of OpenAI's chat messages (API reference, "Create chat completion"); extra members pass through untouched. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}
export interface ImagePart {
  readonly type: 'image_url';
  readonly image_url: { readonly url: string; readonly detail?: string };
}
export interface OtherPart {
  readonly type: string;
  readonly [member: string]: unknown;
}
export type ContentPart = TextPart | ImagePart | OtherPart;

export interface FunctionCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
  /** Returned to the vendor with the call: Gemini's OpenAI API keeps its thought signature here. */
  readonly extra_content?: JsonObject;
}

export type ChatRole = 'system' | 'developer' | 'user' | 'assistant' | 'tool' | 'function';

export interface ChatMessage {
  readonly role: ChatRole;
  readonly content?: string | readonly ContentPart[] | null;
  readonly name?: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly FunctionCall[];
  readonly [member: string]: unknown;
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  /** Absent where the vendor tells none; sums do not have it. */
  readonly prompt_tokens_details?: { readonly cached_tokens?: number; readonly cache_creation_tokens?: number };
}

/** null when neither is known. */
export function addUsage(a: Usage | null, b: Usage | null | undefined): Usage | null {
  if (!b) return a;
  if (a === null) return b;
  return {
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
  };
}

export const isTextPart = (part: ContentPart): part is TextPart =>
  part.type === 'text' && typeof (part as TextPart).text === 'string';

/** Text of a message's content; several text parts are joined by one space, as LAMB joins them. */
export function textOf(content: ChatMessage['content']): string {
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  return content
    .filter(isTextPart)
    .map((part) => part.text)
    .join(' ');
}

/** Index of the last message whose role is `user`, or -1. */
export const lastUserIndex = (messages: readonly ChatMessage[]): number =>
  messages.findLastIndex((message) => message.role === 'user');

/** Text of the last message of the user; '' when there is none. */
export const lastQuestion = (messages: readonly ChatMessage[]): string =>
  textOf(messages[lastUserIndex(messages)]?.content);
