import { randomInt } from 'node:crypto';

/** No letter that reads like another one or like a digit. */
const LETTERS = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 8;

/** 39 random bits, which are few enough to be written from a board; guesses are limited by address. */
export const newJoinCode = (): string =>
  Array.from({ length: LENGTH }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('');

/** The code as people type it: in any case, with spaces or hyphens. */
export const readJoinCode = (text: string): string => text.replace(/[\s-]/g, '').toUpperCase();
