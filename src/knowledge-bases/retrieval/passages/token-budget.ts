/**
 * UTF-8 bytes per token. Byte-pair vocabularies spend about 4 on English prose, less on other languages, formulas and code;
 * the estimate rather says too many tokens than too few.
 */
const BYTES_PER_TOKEN = 3.5;
/** What stands around a passage in a prompt: blank lines, its number. */
const FRAME_TOKENS = 4;

/** Estimated tokens of all passages of one tool, where nothing else is chosen: twenty chunks of the default size. */
export const DEFAULT_MAX_TOKENS = 12_000;

/** Full stops of scripts that put no space behind a sentence, then those of the others. */
const SENTENCE_END = /[。！？][」』”)]*|[.!?…]["'»”)\]]*(?=\s|$)/gu;

/** Estimated tokens of a passage in a prompt. */
export const estimatedTokens = (text: string): number =>
  Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN) + FRAME_TOKENS;

export interface Budgeted<T> {
  readonly kept: readonly T[];
  readonly warnings: readonly string[];
}

/**
 * The passages that fit, best first: the first one that does not fit goes with all after it. When not even the first fits, it
 * is cut behind a sentence.
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

/** The longest beginning of whole sentences; without one whole words; without these what fits. */
function cutAtSentence(text: string, maxTokens: number): string {
  const bytes = Buffer.from(text).subarray(0, Math.floor(maxTokens * BYTES_PER_TOKEN));
  // A streaming decoder keeps an unfinished last character to itself.
  const head = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
  if (head.length >= text.length) return text;
  const sentence = [...head.matchAll(SENTENCE_END)].findLast(({ index, 0: mark }) => {
    // Where the beginning ends, the text may go on: 3.5 is no end of a sentence.
    const after = text[index + mark.length];
    return /^[。！？]/.test(mark) || after === undefined || /\s/.test(after);
  });
  if (sentence !== undefined) return head.slice(0, sentence.index + sentence[0].length);
  const space = head.search(/\s\S*$/);
  return space > 0 ? head.slice(0, space) : head;
}
