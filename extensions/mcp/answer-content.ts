import type { CallToolResult, GetPromptResult } from '@modelcontextprotocol/sdk/types.js';
import { type ChatMessage, isTextPart, type Source } from '../../src/kernel';

/** The answer, then, as a part of its own, where it is from. */
export function answerContent({
  text,
  sources,
}: {
  text: string;
  sources: readonly Source[];
}): CallToolResult['content'] {
  const answer = { type: 'text', text: text.toWellFormed() } as const;
  if (sources.length === 0) return [answer];
  return [answer, { type: 'text', text: `Sources:\n${sources.map(lineOf).join('\n').toWellFormed()}` }];
}

function lineOf(source: Source, index: number): string {
  const number = `[${source.n ?? index + 1}]`;
  if (source.type === 'file') return `${number} ${source.path}`;
  if (source.type === 'rubric') return `${number} ${source.title}`;
  const page = source.page === undefined ? '' : `, p. ${source.page}`;
  // Without a public URL links are relative, and a client of this door has nothing to resolve them against.
  const url = /^https?:\/\//.test(source.url) ? ` ${source.url}` : '';
  return `${number} ${source.title}${page}${url}`;
}

/** MCP knows no system messages: they come first, as what the user says. Pictures are named, not sent. */
export function promptMessages(
  messages: readonly ChatMessage[],
  redact: (text: string) => string,
): GetPromptResult['messages'] {
  return messages.map(({ role, content }) => ({
    role: role === 'assistant' ? 'assistant' : 'user',
    content: { type: 'text', text: redact(plain(content)).toWellFormed() },
  }));
}

function plain(content: ChatMessage['content']): string {
  if (content === null || content === undefined || typeof content === 'string') return content ?? '';
  return content.map((part) => (isTextPart(part) ? part.text : `[${part.type}]`)).join('\n');
}
