/** Words of one shingle; a changed word changes this many of them. */
const SHINGLE_WORDS = 4;
/** Share of a passage's shingles that better passages must hold already. With four words each, about one word in twenty may differ. */
const KNOWN_SHARE = 0.8;

/** Scripts that put no space between words count by the character. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+/gu;

/** FNV-1a over UTF-16 units, 32 bits: among the shingles of one answer a collision is one in a hundred thousand, and harmless. */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

function hashOf(word: string): number {
  let hash = FNV_OFFSET;
  for (let index = 0; index < word.length; index++) hash = Math.imul(hash ^ word.charCodeAt(index), FNV_PRIME);
  return hash;
}

/** Hashes of runs of words, whatever their case and the punctuation between them; a text without any is its own shingle. */
function shinglesOf(text: string): number[] {
  const words = text.normalize('NFKC').toLowerCase().match(WORD) ?? [text.trim()];
  const hashes = words.map(hashOf);
  const size = Math.min(SHINGLE_WORDS, hashes.length);
  const shingles: number[] = [];
  for (let start = 0; start + size <= hashes.length; start++) {
    let shingle = size;
    for (let word = start; word < start + size; word++) shingle = Math.imul(shingle, FNV_PRIME) ^ (hashes[word] ?? 0);
    shingles.push(shingle);
  }
  return shingles;
}

/** Shingles of better passages; `add` takes those of one more, unless it adds next to nothing. */
class KnownShingles {
  private readonly known = new Set<number>();

  /** False, and nothing taken, when `KNOWN_SHARE` of the different ones were there already. */
  add(shingles: readonly number[]): boolean {
    const fresh: number[] = [];
    const before = new Set<number>();
    for (const shingle of shingles) {
      const size = this.known.size;
      if (this.known.add(shingle).size > size) fresh.push(shingle);
      else before.add(shingle);
    }
    // Those that the text itself repeats were not there before.
    for (const shingle of before.size === 0 ? [] : fresh) before.delete(shingle);
    if (before.size < KNOWN_SHARE * (fresh.length + before.size)) return true;
    for (const shingle of fresh) this.known.delete(shingle);
    return false;
  }
}

/**
 * Leaves out every item whose text adds next to nothing to the items before it (Broder, "On the resemblance and containment
 * of documents", 1997: containment of shingles). The best-ranked copy stays; a longer passage that holds a better-ranked short
 * one stays too. Linear in the length of all texts; stops at `most` items.
 */
export function withoutNearDuplicates<T extends { readonly text: string }>(items: Iterable<T>, most = Infinity): T[] {
  const known = new KnownShingles();
  const kept: T[] = [];
  for (const item of items) {
    if (kept.length >= most) break;
    if (known.add(shinglesOf(item.text))) kept.push(item);
  }
  return kept;
}
