// Large knowledge bases of real sentences: as many as wanted, with the word frequencies of a text of that size.
const WORD = /\p{L}{4,}/gu;
const SYLLABLES = ['ba', 'ke', 'li', 'mo', 'nu', 'ra', 'se', 'ti', 'vo', 'zu', 'pa', 'de', 'fi', 'go', 'hu', 'ja'];
/** Heaps' law: the vocabulary of a text grows with about this power of its length. */
const HEAPS = 0.6;
const RARE = 3;
const PASSAGE_CHARS = 1500;

/** mulberry32: the same numbers below 1 in every run. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Passages of `PASSAGE_CHARS` characters out of sentences drawn at random. Repeating a few thousand sentences would give
 * every word a large frequency and no text a rare one: words that were rare get variants, as many as a text of this size
 * would have others of their kind.
 */
export function* passages(collections, count, seed = 1) {
  const sentences = collections
    .flatMap(({ corpus }) => corpus.flatMap(({ text }) => text.split(/(?<=[.!?])\s+(?=\p{Lu})/u)))
    .filter(({ length }) => length > 30 && length < 500);
  const frequency = new Map();
  for (const sentence of sentences) {
    for (const word of new Set(sentence.toLowerCase().match(WORD) ?? [])) {
      frequency.set(word, (frequency.get(word) ?? 0) + 1);
    }
  }
  const chars = sentences.reduce((sum, { length }) => sum + length, 0);
  const variants = Math.max(1, Math.round(((count * PASSAGE_CHARS) / chars) ** HEAPS));
  const next = random(seed);
  const varied = (word) => {
    if (frequency.get(word.toLowerCase()) > RARE) return word;
    let text = word;
    for (let number = Math.floor(next() * variants); number > 0; number = Math.floor(number / SYLLABLES.length)) {
      text += SYLLABLES[number % SYLLABLES.length];
    }
    return text;
  };
  for (let made = 0; made < count; made++) {
    const parts = [];
    for (let length = 0; length < PASSAGE_CHARS; length += parts.at(-1).length + 1) {
      parts.push(sentences[Math.floor(next() * sentences.length)].replace(WORD, varied));
    }
    yield parts.join(' ');
  }
}
