import { type ChatMessage, type ContentPart, isTextPart, lastUserIndex, textOf } from './chat';

export interface Assembly {
  readonly messages: readonly ChatMessage[];
  readonly systemPrompt: string;
  readonly vision: boolean;
  /** New text of the last user message; null leaves it unchanged. */
  readonly rewrite: (question: string) => string | null;
}

export interface AssembledMessages {
  readonly messages: readonly ChatMessage[];
  /** Parts dropped because the assistant has no vision. */
  readonly droppedParts: number;
}

/**
 * The messages for the model: system prompt, history, and the last user message with its new text. Messages after it
 * (tool results of the client) pass unchanged. Parts other than text stay behind the text with vision; without it they
 * are dropped and counted.
 */
export function assembleMessages({ messages, systemPrompt, vision, rewrite }: Assembly): AssembledMessages {
  const last = lastUserIndex(messages);
  const assembled: ChatMessage[] = systemPrompt === '' ? [] : [{ role: 'system', content: systemPrompt }];
  let droppedParts = 0;
  for (const [index, message] of messages.entries()) {
    if (!vision) droppedParts += attachments(message).length;
    const kept = vision ? message : withoutAttachments(message);
    const text = index === last ? rewrite(textOf(message.content)) : null;
    assembled.push(text === null ? kept : { ...kept, content: withText(text, vision ? attachments(message) : []) });
  }
  return { messages: assembled, droppedParts };
}

/** One problem for each part that an assistant without vision cannot read. */
export const partsBesideText = (
  messages: readonly ChatMessage[],
): readonly { readonly path: string; readonly message: string }[] =>
  messages.flatMap(({ content }, at) =>
    (Array.isArray(content) ? (content as readonly ContentPart[]) : []).flatMap((part, place) =>
      isReadable(part)
        ? []
        : { path: `messages[${at}].content[${place}]`, message: `is ${part.type}, and the assistant reads text only` },
    ),
  );

/** Warning about dropped parts. */
export const droppedPartsText = (count: number): string =>
  count === 1
    ? 'A part of the message that is not text was left out: the assistant has no vision'
    : `${count} parts of the messages that are not text were left out: the assistant has no vision`;

const withText = (text: string, parts: readonly ContentPart[]): ChatMessage['content'] =>
  parts.length === 0 ? text : [{ type: 'text', text }, ...parts];

/** A refusal is an assistant's text. */
const isReadable = (part: ContentPart): boolean => isTextPart(part) || part.type === 'refusal';

/** Parts that a model without vision cannot read. */
function attachments({ content }: ChatMessage): readonly ContentPart[] {
  if (!Array.isArray(content)) return [];
  return (content as readonly ContentPart[]).filter((part) => !isReadable(part));
}

function withoutAttachments(message: ChatMessage): ChatMessage {
  return attachments(message).length === 0 ? message : { ...message, content: textOf(message.content) };
}
