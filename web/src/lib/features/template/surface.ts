import { compileTemplate, type SlotGrammar } from '@bellwether/kernel/templates';

/** Needs of the buttons around a text, whichever element it is edited in. */
export interface Surface {
  focus(): void;
  /** Replaces the selection, the caret behind it; one step of the history. */
  insert(text: string, step: string): void;
  /** Selects the next `{name}` behind the caret, else the first, and shows it. */
  reveal(name: string): void;
}

/** Start of the next `{name}` after `position`, round the end; -1 when there is none. */
export function nextOccurrence(text: string, name: string, position: number): number {
  const wanted = `{${name}}`;
  const after = text.indexOf(wanted, position);
  return after === -1 ? text.indexOf(wanted) : after;
}

/**
 * Position to put something in for a caret at `position`: behind the slot that the caret stands in, so that none is
 * broken.
 */
export function outsideSlots(text: string, grammar: SlotGrammar, position: number): number {
  const around = compileTemplate(text, grammar).slots.find(({ start, end }) => start < position && position < end);
  return around?.end ?? position;
}
