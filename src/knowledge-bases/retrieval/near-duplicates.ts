/** Words of one shingle; a changed word changes this many of them. */
const SHINGLE_WORDS = 4;
/** Share of a passage's shingles that better passages must hold already. With four words each, about one word in twenty may differ. */
const KNOWN_SHARE = 0.8;

/** Scripts that put no space between words count by the character. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+/gu;

/** Runs of words, whatever their case and the punctuation between them; a text without any is its own shingle. */
function shinglesOf(text: string): ReadonlySet<string> {
  const words = text.normalize('NFKC').toLowerCase().match(WORD) ?? [];
  if (words.length <= SHINGLE_WORDS) return new Set([words.length === 0 ? text.trim() : words.join(' ')]);
  const shingles = new Set<string>();
  for (let start = 0; start + SHINGLE_WORDS <= words.length; start++) {
    shingles.add(words.slice(start, start + SHINGLE_WORDS).join(' '));
  }
  return shingles;
}

/**
 * Leaves out every item whose text adds next to nothing to the items before it (Broder, "On the resemblance and containment
 * of documents", 1997: containment of shingles). The best-ranked copy stays; a longer passage that holds a better-ranked short
 * one stays too. Linear in the length of all texts; stops at `most` items.
 */
export function withoutNearDuplicates<T extends { readonly text: string }>(items: Iterable<T>, most = Infinity): T[] {
  const known = new Set<string>();
  const kept: T[] = [];
  for (const item of items) {
    if (kept.length >= most) break;
    const shingles = shinglesOf(item.text);
    let seen = 0;
    for (const shingle of shingles) if (known.has(shingle)) seen += 1;
    if (seen >= KNOWN_SHARE * shingles.size) continue;
    for (const shingle of shingles) known.add(shingle);
    kept.push(item);
  }
  return kept;
}
