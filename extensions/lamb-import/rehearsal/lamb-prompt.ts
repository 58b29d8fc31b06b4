import { isJsonObject } from '../../../src/kernel';

/** A message of a prompt with its text alone. */
export interface PromptMessage {
  readonly role: string;
  readonly text: string;
}

const BEGINNING = 'Messages:\n';
const SEPARATOR = '\n\nBody:\n';

/**
 * The messages in an answer with `debug_bypass`, whose content is `Messages:`, JSON, `Body:`, JSON. null for any other
 * answer.
 */
export function promptInAnswer(answer: unknown): readonly PromptMessage[] | null {
  const content = contentOf(answer);
  if (content?.startsWith(BEGINNING) !== true) return null;
  // Strings in JSON hold no line breaks, so it occurs once.
  const end = content.indexOf(SEPARATOR);
  if (end < 0) return null;
  try {
    const messages: unknown = JSON.parse(content.slice(BEGINNING.length, end));
    return Array.isArray(messages) ? messages.map(messageOf) : null;
  } catch {
    return null;
  }
}

function contentOf(answer: unknown): string | null {
  const choices = isJsonObject(answer) ? answer['choices'] : null;
  const first: unknown = Array.isArray(choices) ? choices[0] : null;
  const message = isJsonObject(first) ? first['message'] : null;
  const content = isJsonObject(message) ? message['content'] : null;
  return typeof content === 'string' ? content : null;
}

function messageOf(message: unknown): PromptMessage {
  const { role, content } = isJsonObject(message) ? message : {};
  return { role: typeof role === 'string' ? role : '', text: textIn(content) };
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : JSON.stringify(content);
  return content
    .map((part: unknown) =>
      isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : JSON.stringify(part),
    )
    .join(' ');
}
