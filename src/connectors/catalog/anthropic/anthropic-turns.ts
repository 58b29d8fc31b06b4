import {
  AppError,
  isTextPart,
  textOf,
  type ChatMessage,
  type ContentPart,
  type FunctionCall,
  type JsonObject,
} from '@bellwether/kernel';
import { isDeepStrictEqual } from 'node:util';
import type { ContentBlockParam, MessageParam, ToolUseBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { argumentsObject, imageUrlOf, type InlineImages } from '../../vendor';

/** Blocks of an earlier answer exactly as they came, by the id of one of its calls. */
export type RecallTurn = (callId: string) => readonly JsonObject[] | undefined;

/** Ids that Anthropic accepts. Other vendors and clients may use more characters. */
const toolUseId = (id: string): string => id.replace(/[^\w-]/g, '_').slice(0, 64) || 'call';

const isSystem = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer';

/** Anthropic takes all system text outside the conversation. */
export const systemOf = (messages: readonly ChatMessage[]): string =>
  messages
    .filter(isSystem)
    .map(({ content }) => textOf(content))
    .filter((text) => text.trim() !== '')
    .join('\n\n');

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlockParam[];
}

/**
 * The conversation in Anthropic's turns: one role after the other, results of calls first in the turn after them, no empty
 * text, a user first. @throws AppError `upstream_rejected` for parts that the API does not take
 */
export function turnsOf(messages: readonly ChatMessage[], images: InlineImages, recall: RecallTurn): MessageParam[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    if (isSystem(message)) continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = blocksOf(message, images, recall);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else if (blocks.length > 0) turns.push({ role, content: blocks });
  }
  if (turns[0]?.role === 'assistant') turns.unshift({ role: 'user', content: [{ type: 'text', text: '…' }] });
  return turns.map((turn, index) => (index === turns.length - 1 ? withoutTrailingSpace(turn) : turn));
}

function blocksOf(message: ChatMessage, images: InlineImages, recall: RecallTurn): ContentBlockParam[] {
  if (message.role === 'tool' || message.role === 'function') {
    const id = toolUseId(message.tool_call_id ?? message.name ?? '');
    const content = contentBlocks(message.content, images) as Extract<ContentBlockParam, { type: 'text' | 'image' }>[];
    return [{ type: 'tool_result', tool_use_id: id, ...(content.length === 0 ? {} : { content }) }];
  }
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  const kept = calls.length === 0 ? undefined : keptTurn(calls, recall);
  return kept ?? [...contentBlocks(message.content, images), ...calls.map(toolUse)];
}

/** The original blocks, with thinking, if the client returned the same calls unchanged. */
function keptTurn(calls: readonly FunctionCall[], recall: RecallTurn): ContentBlockParam[] | undefined {
  const kept = calls[0] === undefined ? undefined : recall(calls[0].id);
  const asked = kept?.filter(({ type }) => type === 'tool_use') ?? [];
  const same = asked.length === calls.length && calls.every((call) => asked.some((block) => isOf(block, call)));
  return same ? (structuredClone(kept) as unknown as ContentBlockParam[]) : undefined;
}

const isOf = (block: JsonObject, { id, function: called }: FunctionCall): boolean =>
  block['id'] === id &&
  block['name'] === called.name &&
  isDeepStrictEqual(block['input'], argumentsObject(called.arguments));

const toolUse = ({ id, function: called }: FunctionCall): ToolUseBlockParam => ({
  type: 'tool_use',
  id: toolUseId(id),
  name: called.name,
  input: argumentsObject(called.arguments),
});

function contentBlocks(content: ChatMessage['content'], images: InlineImages): ContentBlockParam[] {
  const parts: readonly ContentPart[] = Array.isArray(content)
    ? (content as readonly ContentPart[])
    : [{ type: 'text', text: textOf(content) }];
  return parts.flatMap((part) => blockOf(part, images));
}

function blockOf(part: ContentPart, images: InlineImages): ContentBlockParam[] {
  if (isTextPart(part)) return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
  const url = imageUrlOf(part);
  const image = url === null ? undefined : images.get(url);
  if (image === undefined) throw new AppError('upstream_rejected', 'Anthropic takes text and images only');
  return [{ type: 'image', source: { type: 'base64', media_type: image.mediaType, data: image.base64 } }];
}

/** The API refuses a final assistant message that ends in white space. */
function withoutTrailingSpace({ role, content }: Turn): Turn {
  const last = content.at(-1);
  if (role !== 'assistant' || last?.type !== 'text') return { role, content };
  return { role, content: [...content.slice(0, -1), { ...last, text: last.text.trimEnd() }] };
}

/** Names of all functions that were called in the conversation. */
export const calledNames = (messages: readonly ChatMessage[]): readonly string[] => [
  ...new Set(messages.flatMap(({ tool_calls: calls }) => (calls ?? []).map((call) => call.function.name))),
];
