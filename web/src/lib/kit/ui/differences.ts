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

/** The same text for the same content, whatever the order of the keys: stored JSON comes back in an order of its own. */
export const fingerprint = (value: unknown): string => JSON.stringify(sorted(value)) ?? '';

/** Equal content of values that are, or become, JSON. */
export const same = (one: unknown, other: unknown): boolean => fingerprint(one) === fingerprint(other);

/** Whether a change overwrites nothing that another person saved since `base`. */
export const overwritesNothing = <Resource extends object>(base: Resource, theirs: Resource, change: object): boolean =>
  Object.entries(change).every(([name, mine]) => {
    const now = theirs[name as keyof Resource];
    return same(now, base[name as keyof Resource]) || same(now, mine);
  });

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}
