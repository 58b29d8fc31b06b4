import { cutText } from '../../output/clean-text';

/**
 * Control characters, and those that show nothing: format characters, direction marks, variation selectors and tags, in
 * which instructions can be hidden from whoever reads the text before a model does.
 */
const UNSEEN = /\p{Cc}|\p{Cf}|\p{Co}|\p{Cn}|\p{Zl}|\p{Zp}|\p{Variation_Selector}|\p{Default_Ignorable_Code_Point}/gu;

/** One line of visible text from a text that somebody else wrote, at most `max` UTF-16 units. */
export function cleanLine(text: string, max: number): string {
  // Cut first: nobody's megabytes are searched.
  const start = cutText(text, max * 4).toWellFormed();
  const visible = start.replace(UNSEEN, ' ').replaceAll(/\s+/g, ' ').trim();
  return visible.length <= max ? visible : `${cutText(visible, max - 1)}…`;
}
