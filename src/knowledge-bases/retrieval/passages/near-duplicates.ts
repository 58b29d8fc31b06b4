/** A changed word changes this many shingles. */
const SHINGLE_WORDS = 4;
/** A passage is a near-duplicate when better passages contain this share of its shingles: about one word in twenty differs. */
const KNOWN_SHARE = 0.8;

/** In scripts without spaces, each character counts as a word. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+/gu;

/** 32-bit FNV-1a over UTF-16 units. Among the shingles of one answer, a collision has a chance of 1 in 100,000. */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

function hashOf(word: string): number {
  let hash = FNV_OFFSET;
  for (let index = 0; index < word.length; index++) hash = Math.imul(hash ^ word.charCodeAt(index), FNV_PRIME);
  return hash;
}

/** Hashes of runs of words, ignoring case and punctuation. A text without words is one shingle. */
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

/** Shingles of the passages kept so far. */
class KnownShingles {
  private readonly known = new Set<number>();

  /** Returns false and adds nothing when `KNOWN_SHARE` of the distinct shingles are known. */
  add(shingles: readonly number[]): boolean {
    const fresh: number[] = [];
    const before = new Set<number>();
    for (const shingle of shingles) {
      const size = this.known.size;
      if (this.known.add(shingle).size > size) fresh.push(shingle);
      else before.add(shingle);
    }
    // Repetitions inside the text itself do not count as known.
    for (const shingle of before.size === 0 ? [] : fresh) before.delete(shingle);
    if (before.size < KNOWN_SHARE * (fresh.length + before.size)) return true;
    for (const shingle of fresh) this.known.delete(shingle);
    return false;
  }
}

/**
 * Drops items whose text is contained in better ones (Broder, "On the resemblance and containment of documents", 1997:
 * containment of shingles). A long passage that contains a better short one stays. Linear time; returns at most `most` items.
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
