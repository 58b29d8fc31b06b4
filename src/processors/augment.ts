import { type AssembledMessages, assembleMessages } from '@bellwether/kernel';
import { assertRenderable } from '@bellwether/kernel/templates';
import { sourcesBlock } from '../tools';
import type { PromptInput, RagContext } from './contract';

/** Content of each slot. Every other brace stays as written. */
type Contents = (slot: string, question: string) => string;

/**
 * Fills a template as LAMB's prompt processors do: `{user_input}`, `{context}` and the processor's own slots, in one
 * pass. A `{context}` inside a question or value stays as it is. An empty template leaves the question.
 */
export function augment(input: PromptInput, ownSlots: readonly string[] = []): AssembledMessages {
  const { messages, systemPrompt, template, vision, gathered } = input;
  const context = contextText(input.rag);
  const pattern = new RegExp(`\\{(${['user_input', 'context', ...ownSlots].join('|')})\\}`, 'g');
  const contents: Contents = (slot, question) => {
    if (slot === 'user_input') return framed(question);
    if (slot === 'context') return context;
    const value = gathered.get(slot) ?? '';
    return value === '' ? '' : framed(value);
  };
  const rewrite = (question: string): string | null =>
    template === '' ? null : filled(template, pattern, (slot) => contents(slot, question));
  return assembleMessages({ messages, systemPrompt, vision, rewrite });
}

function filled(template: string, pattern: RegExp, contentOf: (slot: string) => string): string {
  let length = template.length;
  for (const [, slot = ''] of template.matchAll(pattern)) length += contentOf(slot).length;
  assertRenderable(length);
  return template.replace(pattern, (_, slot: string) => contentOf(slot));
}

const framed = (text: string): string => `\n\n${text}\n\n`;

/** Unlike a multi-tool slot, an empty context keeps its newlines: classic prompts must not change. */
const contextText = (rag: RagContext | null): string =>
  rag === null ? '' : framed(`${rag.context}${sourcesBlock(rag.sources)}`);
