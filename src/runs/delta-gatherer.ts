/** Longest time a piece of the answer waits for the next ones, and how many characters go out at once. */
const WAIT_MS = 50;
const MAX_CHARS = 1_024;

/** Joins the pieces of an answer, so that a log of events grows with the answer and not with the vendor's chunks. */
export class DeltaGatherer {
  private pieces: string[] = [];
  private chars = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly give: (text: string) => void) {}

  add(text: string): void {
    if (text === '') return;
    this.pieces.push(text);
    this.chars += text.length;
    if (this.chars >= MAX_CHARS) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), WAIT_MS);
  }

  /** Gives what has come together, if anything. */
  flush(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (this.chars === 0) return;
    const text = this.pieces.join('');
    this.pieces = [];
    this.chars = 0;
    this.give(text);
  }
}
