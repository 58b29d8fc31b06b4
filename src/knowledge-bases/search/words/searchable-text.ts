import { foldedText, spacedText } from '../../../kernel';

/**
 * Version of the index. Version 1 had no parts of compounds, version 2 no page labels, version 3 no word with the stem of a
 * stop word, version 4 no words of scripts without blanks and no compatibility forms, version 5 words of hidden layers and
 * figures as names of columns. A new version re-indexes every knowledge base in the background.
 */
export const INDEX_VERSION = 6;

/** PostgreSQL's parser takes `client/server` and `numpy.array` for a path and a host, each one word. */
const JOINED = /[./\\](?<=([\p{L}\p{N}]+)[./\\])(?=([\p{L}\p{N}]+))/gu;
const NUMBER = /^\p{N}+$/u;

/** Letters stay together in abbreviations (`e.g`), digits in numbers (`3.14`, `1/2`). */
const splitJoined = (text: string): string =>
  text.replace(JOINED, (sign: string, before: string, after: string) => {
    const isAbbreviation = before.length === 1 && after.length === 1;
    return isAbbreviation || (NUMBER.test(before) && NUMBER.test(after)) ? sign : ' ';
  });

/** `e-mail` and `co-operate` are also written as one word. */
const SHORT_PREFIX = /(?<![\p{L}\p{N}-])(\p{L}{1,2})-(\p{L}{3,})(?![\p{L}-])/gu;

const withoutHyphen = (text: string): string => text.replace(SHORT_PREFIX, '$& $1$2');

const HUMP = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const LEAST_PART = 3;

/** Words inside `parseXmlFile`; none in other words. */
export const camelParts = (word: string): string[] =>
  word.split(HUMP).filter((part, _, parts) => parts.length > 1 && part.length >= LEAST_PART);

const withCamelParts = (text: string): string =>
  text.replace(/\p{L}+/gu, (word) => [word, ...camelParts(word)].join(' '));

/** The question, with words in the form in which an index of this version stores them. */
export function searchableQuestion(text: string, indexVersion = INDEX_VERSION): string {
  const folded = foldedText(text);
  if (indexVersion < 2) return folded;
  const split = withoutHyphen(splitJoined(folded));
  return indexVersion < 5 ? split : spacedText(split);
}

/** The text of a passage as it is indexed: with compounds whole and in parts. */
export const searchableText = (text: string): string => withCamelParts(searchableQuestion(text));
