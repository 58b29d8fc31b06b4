/** A piece of the answer waits this long for more, up to this many characters. */
const WAIT_MS = 50;
const MAX_CHARS = 1_024;

/** Joins deltas, so that the log grows with the answer's length instead of the number of chunks. */
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
