import { type ChatMessage, type ContentPart, isTextPart } from '../../kernel';
import type { ReportMessage } from './report.types';

const describe = (part: ContentPart): string => (isTextPart(part) ? part.text : `[${part.type}]`);

/** A message as text. Images and audio become their type in brackets, never their data. */
export function reportMessage(message: ChatMessage): ReportMessage {
  const { content } = message;
  if (typeof content === 'string') return { role: message.role, content };
  if (Array.isArray(content)) return { role: message.role, content: content.map(describe).join('\n') };
  const calls = message.tool_calls?.map((call) => `[tool call ${call.function.name}]`) ?? [];
  return { role: message.role, content: calls.join('\n') };
}
