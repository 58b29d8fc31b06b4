import { type ChatMessage, textOf } from '../../kernel';

/** Adds a rule to the end of the system prompt: it holds whatever the assistant's own prompt and the question say. */
export function withInstruction(messages: readonly ChatMessage[], instruction: string): readonly ChatMessage[] {
  const [first, ...others] = messages;
  if (first?.role !== 'system') return [{ role: 'system', content: instruction }, ...messages];
  return [{ ...first, content: `${textOf(first.content)}\n\n${instruction}`.trim() }, ...others];
}
