import { cleanName } from '../../../src/kernel';

export const LONGEST_LABEL = 200;

/** A name for people: storable, on one line, at most 200 characters. */
export const cleanLabel = (text: string): string =>
  cleanName(text.replaceAll('\u0000', '').toWellFormed()).slice(0, LONGEST_LABEL).toWellFormed();
