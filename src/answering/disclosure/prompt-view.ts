import type { Disclosure } from '../../assistants';
import { type ChatMessage, isTextPart, textOf } from '../../kernel';
import { cut, type PreparedPrompt, REPORT_LIMITS } from '../../runs';

type Shorten = (text: string) => string;

/** The messages for the model as far as `disclosure` allows. `previews` cuts results of tools as reports do. */
export function visibleMessages(prepared: PreparedPrompt, disclosure: Disclosure): readonly ChatMessage[] {
  if (disclosure === 'whole') return prepared.messages;
  if (disclosure === 'none') return [];
  const shorten = shortener(prepared);
  return prepared.messages.map((message) => shortened(message, shorten));
}

function shortener(prepared: PreparedPrompt): Shorten {
  const inPrompt = longTexts((prepared.report.prompt ?? []).filter(({ index }) => index !== undefined));
  const texts = prepared.messages.map(({ content }) => textOf(content));
  // A result that a processor changed cannot be located, so all content is cut.
  if (inPrompt.some((fetched) => !texts.some((text) => text.includes(fetched)))) return preview;
  const fetched = new Set([
    ...inPrompt,
    ...longTexts(prepared.report.results.map((result) => ({ text: result.preview }))),
  ]);
  // Longest first: a text may be part of another.
  const longestFirst = [...fetched].sort((one, other) => other.length - one.length);
  return (text) => longestFirst.reduce((rest, each) => rest.replaceAll(each, () => preview(each)), text);
}

const preview: Shorten = (text) => cut(text, REPORT_LIMITS.preview);

const longTexts = (parts: readonly { readonly text: string }[]): string[] =>
  parts.map(({ text }) => text).filter((text) => text.length > REPORT_LIMITS.preview);

function shortened(message: ChatMessage, shorten: Shorten): ChatMessage {
  const { content } = message;
  if (typeof content === 'string') return { ...message, content: shorten(content) };
  if (content === null || content === undefined) return message;
  return {
    ...message,
    content: content.map((part) => (isTextPart(part) ? { ...part, text: shorten(part.text) } : part)),
  };
}
