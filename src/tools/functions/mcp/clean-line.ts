import { cutText } from '../../output/clean-text';

/**
 * Control characters and invisible characters: format characters, direction marks, variation selectors and tags. They
 * can hide instructions from people who review the text.
 */
const UNSEEN = /\p{Cc}|\p{Cf}|\p{Co}|\p{Cn}|\p{Zl}|\p{Zp}|\p{Variation_Selector}|\p{Default_Ignorable_Code_Point}/gu;

/** One line of visible text from a text that somebody else wrote, at most `max` UTF-16 units. */
export function cleanLine(text: string, max: number): string {
  // Cuts first, so that the patterns never run over megabytes.
  const start = cutText(text, max * 4).toWellFormed();
  const visible = start.replace(UNSEEN, ' ').replaceAll(/\s+/g, ' ').trim();
  return visible.length <= max ? visible : `${cutText(visible, max - 1)}…`;
}
