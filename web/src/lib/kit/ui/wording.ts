/** Words that are not in the reader's language, as what the service says of a field. */
export interface Foreign {
  readonly text: string;
  readonly lang: string;
}

/** Words for the reader: in their language, or with the one they are in. */
export type Wording = string | Foreign;

/** The service's own words, where there are any. */
export const english = (text: string | undefined): Foreign | null => (text === undefined ? null : { text, lang: 'en' });

export const textOf = (words: Wording): string => (typeof words === 'string' ? words : words.text);

/** Value of the attribute `lang`; nothing for the reader's language. */
export const langOf = (words: Wording): string | undefined => (typeof words === 'string' ? undefined : words.lang);

/** `top_k` as words, for what has no name in the texts. */
export const humanised = (name: string): string =>
  name.replace(/[_-]+/g, ' ').replace(/^./, (first) => first.toUpperCase());
