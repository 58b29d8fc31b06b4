import { type Source, titleOfSource } from '../kernel';
import { otherMessages, type ReadConversation } from './conversation-reader.service';
import type { Message } from './conversation.types';

const PICTURE = '*(picture)*';
const STOPPED = '*(stopped)*';

/** The conversation as a Markdown document, with the sources below each answer. Other branches come last. */
export function conversationMarkdown(read: ReadConversation): string {
  const { conversation, messages } = read;
  const { title, assistantName, createdAt } = conversation;
  const head = [`# ${oneLine(title || assistantName)}`, `${oneLine(assistantName)}, ${createdAt.toISOString()}`];
  const sectionsOf = (of: readonly Message[]) => of.map((message) => section(message, assistantName));
  const others = otherMessages(read);
  const rest = others.length === 0 ? [] : ['# Earlier versions', ...sectionsOf(others)];
  return `${[...head, ...sectionsOf(messages), ...rest].join('\n\n')}\n`;
}

/** The name of the file, without its ending. */
export const exportName = ({ conversation: { title, assistantName } }: ReadConversation): string =>
  oneLine(title || assistantName)
    .replace(/[/\\:*?"<>|]/g, '-')
    .slice(0, 80)
    .trim() || 'conversation';

function section(message: Message, assistantName: string): string {
  const { role, text, parts, sources, createdAt } = message;
  const speaker = role === 'user' ? 'Question' : oneLine(assistantName);
  const pictures = (parts ?? []).filter(({ type }) => type === 'image_url').map(() => PICTURE);
  const below = [text, ...pictures, ...stateOf(message), ...(sources.length === 0 ? [] : [listOf(sources)])];
  return [`## ${speaker}`, `<!-- ${createdAt.toISOString()} -->`, ...below.filter((part) => part !== '')].join('\n\n');
}

function stateOf({ status, errorCode }: Message): string[] {
  if (status === 'cancelled') return [STOPPED];
  return status === 'failed' ? [`*(failed: ${errorCode ?? 'internal_error'})*`] : [];
}

const listOf = (sources: readonly Source[]): string =>
  sources.map((source, index) => `${source.n ?? index + 1}. ${oneLine(titleOfSource(source))}`).join('\n');

const oneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim();
