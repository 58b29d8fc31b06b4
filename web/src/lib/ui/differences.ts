/** A field that two sides have in different words. */
export interface Difference {
  /** Path in what is edited: `name`, `metadata.tools`. */
  readonly path: string;
  /** How it is shown: side by side as one line, or as a diff of texts. */
  readonly kind: 'value' | 'text';
  readonly theirs: string;
  readonly mine: string;
}

const LONG = 80;

export function differenceOf(path: string, theirs: string, mine: string): Difference {
  const isLong = [theirs, mine].some((text) => text.length > LONG || text.includes('\n'));
  return { path, kind: isLong ? 'text' : 'value', theirs, mine };
}

type Texts = Readonly<Record<string, string>>;

/** The fields of `mine` that `theirs` has in other words. */
export const differencesOf = (theirs: Texts, mine: Texts): readonly Difference[] =>
  Object.entries(mine)
    .filter(([path, text]) => (theirs[path] ?? '') !== text)
    .map(([path, text]) => differenceOf(path, theirs[path] ?? '', text));
