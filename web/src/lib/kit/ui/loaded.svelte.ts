/** Data read for a page, or why reading failed. The answer of a reading that another one has followed is dropped. */
export class Loaded<Value> {
  value = $state.raw<Value | null>(null);
  error = $state.raw<unknown>(null);
  private turn = 0;

  constructor(private readonly read: () => Value | Promise<Value>) {}

  readonly load = async (): Promise<void> => {
    const turn = ++this.turn;
    this.error = null;
    try {
      const value = await this.read();
      if (turn === this.turn) this.value = value;
    } catch (error) {
      if (turn === this.turn) this.error = error;
    }
  };
}
