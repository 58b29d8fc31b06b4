/** Parts of a piece of an answer: text for the reader, and thoughts that a model wrote into its text. */
export interface SplitText {
  readonly text: string;
  readonly thoughts: string;
}

const TAGS = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
] as const;
/** Characters of whitespace, at most, before an opening tag. */
const MAX_LEAD = 200;
const OPENING = /<think(?:ing)?>/;
/** An answer that speaks of the tag has it within a line. */
const CLOSING_LINE = /\n[ \t]*<\/think(?:ing)?>[ \t\r]*\n/;
/** Characters of the text that are kept to find a tag cut in pieces. */
const RECENT = 32;

/**
 * Separates a model's thoughts from its answer, for servers that leave them in the text: `<think>…</think>` at the start,
 * or with the closing tag alone where a chat template opens it for the model (DeepSeek R1 on vLLM without a reasoning parser).
 * A streamed answer whose thoughts have no opening tag cannot be told from another answer before their end. `onEnd` says
 * whether this one was so, and `startsInThoughts` makes an answer wait for the tag.
 */
export class ThoughtSplitter {
  private state: 'start' | 'thoughts' | 'break' | 'text' = 'start';
  private closing: string = TAGS[0][1];
  private held = '';
  private recent = '\n';
  private isOpened = false;
  private isUnopened = false;
  private ended = false;

  constructor(
    private readonly startsInThoughts = false,
    private readonly onEnd: (isUnopened: boolean) => void = () => undefined,
  ) {}

  /** True once nothing but text can come, which needs no splitting. */
  get isPlain(): boolean {
    return this.state === 'text';
  }

  add(piece: string): SplitText {
    if (piece === '') return { text: '', thoughts: '' };
    if (this.state === 'text') return this.plain(piece);
    this.held += piece;
    const begins = this.state === 'start';
    if (begins) this.open();
    const thoughts = this.state === 'thoughts' ? this.think(begins ? this.held : piece) : '';
    if (this.state === 'break') this.held = this.held.trimStart();
    if (this.state === 'break' && this.held !== '') this.state = 'text';
    return this.state === 'text' ? { ...this.plain(this.release()), thoughts } : { text: '', thoughts };
  }

  /** Looks for tags in plain text, which may come without `add`. */
  see(text: string): void {
    if (this.isOpened || this.isUnopened) return;
    const seen = this.recent + text;
    this.recent = seen.slice(-RECENT);
    if (!seen.includes('think')) return;
    this.isOpened = OPENING.test(seen);
    this.isUnopened = !this.isOpened && CLOSING_LINE.test(seen);
  }

  /** Gives the text that was held back. Thoughts that nothing opened or closed were the answer. */
  finish(): SplitText {
    const rest = this.release();
    const isSilent = this.state === 'start' && rest === '';
    if (!this.ended && !isSilent) this.onEnd(this.isUnopened);
    this.ended = true;
    const isText = this.state !== 'thoughts' || !this.isOpened;
    return isText ? { text: rest, thoughts: '' } : { text: '', thoughts: rest };
  }

  private plain(text: string): SplitText {
    this.see(text);
    return { text, thoughts: '' };
  }

  private open(): void {
    const begun = this.held.trimStart();
    const tag = TAGS.find(([opening]) => begun.startsWith(opening));
    if (tag !== undefined) {
      [, this.closing] = tag;
      this.held = begun.slice(tag[0].length);
      this.state = 'thoughts';
      this.isOpened = true;
    } else if (this.held.length > MAX_LEAD || !TAGS.some(([opening]) => opening.startsWith(begun)))
      this.state = this.startsInThoughts ? 'thoughts' : 'text';
  }

  /** Reads each character once: `held` may be long. */
  private think(fresh: string): string {
    if (!this.isOpened && !this.closes(fresh)) return '';
    const end = this.held.indexOf(this.closing);
    // The end of the piece may be the begin of the closing tag.
    const length = end === -1 ? Math.max(0, this.held.length - this.closing.length + 1) : end;
    const told = this.held.slice(0, length);
    this.held = this.held.slice(end === -1 ? length : end + this.closing.length);
    if (end !== -1) this.state = 'break';
    return told;
  }

  private closes(fresh: string): boolean {
    const seen = this.recent + fresh;
    this.recent = seen.slice(-RECENT);
    this.isUnopened = seen.includes(this.closing);
    return this.isUnopened;
  }

  private release(): string {
    const { held } = this;
    this.held = '';
    return held;
  }
}

/** The parts of a whole answer. Text before a closing tag that nothing opened, on a line of its own, is thoughts, too. */
export function splitThoughts(answer: string): SplitText {
  const closes = answer.includes('</think') && CLOSING_LINE.test(`\n${answer}\n`);
  const splitter = new ThoughtSplitter(closes && !OPENING.test(answer));
  const added = splitter.add(answer);
  const rest = splitter.finish();
  return { text: added.text + rest.text, thoughts: added.thoughts + rest.thoughts };
}
