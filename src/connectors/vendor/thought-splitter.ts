/** Parts of a piece of an answer: text for the reader, and thoughts that a model wrote into its text. */
export interface SplitText {
  readonly text: string;
  readonly thoughts: string;
}

const TAGS = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
] as const;
const CLOSINGS = TAGS.map(([, closing]) => closing);

/**
 * Separates a model's thoughts from its answer, for servers that leave them in the text: `<think>…</think>` at the start,
 * or with the closing tag alone where a chat template opens it for the model (DeepSeek R1 on vLLM without a reasoning parser).
 * A streamed answer whose thoughts have no opening tag cannot be told from another answer before their end: `onUnopened`
 * says that this model writes so, and `startsInThoughts` makes its next answers wait.
 */
export class ThoughtSplitter {
  private state: 'start' | 'thoughts' | 'break' | 'text' = 'start';
  private closing: string = CLOSINGS[0] as string;
  private held = '';

  constructor(
    private readonly startsInThoughts = false,
    private readonly onUnopened: () => void = () => undefined,
  ) {
    if (startsInThoughts) this.state = 'thoughts';
  }

  /** True once nothing but text can come, which needs no splitting. */
  get isPlain(): boolean {
    return this.state === 'text';
  }

  add(piece: string): SplitText {
    if (piece === '') return { text: '', thoughts: '' };
    if (this.state === 'text') return this.plain(piece);
    this.held += piece;
    if (this.state === 'start') this.open();
    const thoughts = this.state === 'thoughts' ? this.think() : '';
    if (this.state === 'break') this.held = this.held.trimStart();
    if (this.state === 'break' && this.held !== '') this.state = 'text';
    return { text: this.state === 'text' ? this.release() : '', thoughts };
  }

  /** Gives the text that was held back. Thoughts that nothing opened or closed were the answer. */
  finish(): SplitText {
    const rest = this.release();
    const isText = this.state !== 'thoughts' || this.startsInThoughts;
    return isText ? { text: rest, thoughts: '' } : { text: '', thoughts: rest };
  }

  private plain(text: string): SplitText {
    if (CLOSINGS.some((closing) => text.includes(closing))) this.onUnopened();
    return { text, thoughts: '' };
  }

  private open(): void {
    const begun = this.held.trimStart();
    const tag = TAGS.find(([opening]) => begun.startsWith(opening));
    if (tag !== undefined) {
      [, this.closing] = tag;
      this.held = begun.slice(tag[0].length);
      this.state = 'thoughts';
    } else if (!TAGS.some(([opening]) => opening.startsWith(begun))) this.state = 'text';
  }

  private think(): string {
    const end = this.held.indexOf(this.closing);
    if (end === -1 && this.startsInThoughts) return '';
    // The end of the piece may be the begin of the closing tag.
    const length = end === -1 ? Math.max(0, this.held.length - this.closing.length + 1) : end;
    const told = this.held.slice(0, length);
    this.held = this.held.slice(end === -1 ? length : end + this.closing.length);
    if (end !== -1) this.state = 'break';
    return told;
  }

  private release(): string {
    const { held } = this;
    this.held = '';
    return held;
  }
}

/** The parts of a whole answer. Text before a closing tag that nothing opened is thoughts, too. */
export function splitThoughts(answer: string): SplitText {
  const splitter = new ThoughtSplitter(CLOSINGS.some((closing) => answer.includes(closing)) && !isOpened(answer));
  const added = splitter.add(answer);
  const rest = splitter.finish();
  return { text: added.text + rest.text, thoughts: added.thoughts + rest.thoughts };
}

const isOpened = (answer: string): boolean => TAGS.some(([opening]) => answer.includes(opening));
