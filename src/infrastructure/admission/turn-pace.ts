/**
 * Limits the starts in one turn of the event loop. More at once would delay the tokens of open streams, which wait for
 * the same loop.
 */
export class TurnPace {
  private left: number;

  constructor(
    private readonly perTurn: number,
    private readonly onTurn: () => void,
  ) {
    this.left = perTurn;
  }

  get isSpent(): boolean {
    return this.left === 0;
  }

  start(): void {
    if (this.left === this.perTurn) setImmediate(() => this.next());
    this.left -= 1;
  }

  private next(): void {
    this.left = this.perTurn;
    this.onTurn();
  }
}
