import type { PromptPart } from './report';

/** A part as it stands in the prompt. */
export interface ShownPart {
  readonly key: number;
  readonly slot: string | null;
  readonly index: number | null;
  readonly text: string;
  readonly chars: number;
  /** The report holds only its beginning. */
  readonly isCut: boolean;
}

/** Parts for showing; the question as it was asked where that is known, as reports hold its beginning only. */
export const shownParts = (parts: readonly PromptPart[], question?: string): readonly ShownPart[] =>
  parts.map(({ slot = null, index = null, text, chars }, key) => {
    const whole = slot === 'user_input' && question !== undefined && question.length === chars ? question : text;
    return { key, slot, index, text: whole, chars, isCut: chars > whole.length };
  });

/** Template as the author wrote it. */
export const templateOf = (parts: readonly ShownPart[]): string =>
  parts.map(({ slot, text }) => (slot === null ? text : `{${slot}}`)).join('');

/** Contents stand between blank lines; an empty slot leaves nothing. */
export const framed = (text: string): string => (text === '' ? '' : `\n\n${text}\n\n`);

/** Prompt as the model was sent it. */
export const filledOf = (parts: readonly ShownPart[]): string =>
  parts.map(({ slot, text }) => (slot === null ? text : framed(text))).join('');
