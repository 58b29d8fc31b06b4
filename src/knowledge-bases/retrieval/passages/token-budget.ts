/** UTF-8 bytes per token: about 4 for English prose, fewer for other languages, formulas and code. Rather overestimates tokens. */
const BYTES_PER_TOKEN = 3.5;
/** Tokens around a passage in a prompt: blank lines, its number. */
const FRAME_TOKENS = 4;

/** Default budget of one tool: twenty chunks of the default size. */
export const DEFAULT_MAX_TOKENS = 12_000;

/** Sentence ends of scripts without spaces, then of the others. */
const SENTENCE_END = /[。！？][」』”)]*|[.!?…]["'»”)\]]*(?=\s|$)/gu;

export const estimatedTokens = (text: string): number =>
  Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN) + FRAME_TOKENS;

/** Length of a text that fits the budget in any script of one to three bytes a character. */
export const charsWithin = (maxTokens: number): number => (maxTokens - FRAME_TOKENS) * (BYTES_PER_TOKEN / 3);

export interface Budgeted<T> {
  readonly kept: readonly T[];
  readonly warnings: readonly string[];
}

/**
 * Keeps passages, best first, up to the first one that does not fit. If that is the best one, it is cut at the end of a
 * sentence.
 */
export function withinBudget<T extends { readonly text: string }>(
  passages: readonly T[],
  maxTokens: number,
): Budgeted<T> {
  let left = maxTokens;
  const end = passages.findIndex(({ text }) => {
    left -= estimatedTokens(text);
    return left < 0;
  });
  const [first] = passages;
  if (end === -1 || first === undefined) return { kept: passages, warnings: [] };
  if (end > 0) {
    const dropped = passages.length - end;
    return { kept: passages.slice(0, end), warnings: [`${dropped} of ${passages.length} passages ${over(maxTokens)}`] };
  }
  const cut = { ...first, text: cutAtSentence(first.text, Math.max(1, maxTokens - FRAME_TOKENS)) };
  const dropped = passages.length - 1;
  const rest = dropped === 0 ? [] : [`${dropped} of ${passages.length} passages ${over(maxTokens)}`];
  return { kept: [cut], warnings: ['the best passage was cut to the token budget', ...rest] };
}

const over = (maxTokens: number): string => `did not fit into the budget of ${maxTokens} tokens and were left out`;

/** The longest beginning of whole sentences, else of whole words, else of characters. */
function cutAtSentence(text: string, maxTokens: number): string {
  const bytes = Buffer.from(text).subarray(0, Math.floor(maxTokens * BYTES_PER_TOKEN));
  // A streaming decoder drops an incomplete last character.
  const head = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
  if (head.length >= text.length) return text;
  const sentence = [...head.matchAll(SENTENCE_END)].findLast(({ index, 0: mark }) => {
    // The cut may be inside a number: the dot of 3.5 ends no sentence.
    const after = text[index + mark.length];
    return /^[。！？]/.test(mark) || after === undefined || /\s/.test(after);
  });
  if (sentence !== undefined) return head.slice(0, sentence.index + sentence[0].length);
  const space = head.search(/\s\S*$/);
  return space > 0 ? head.slice(0, space) : head;
}
