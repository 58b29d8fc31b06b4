/** Tells whoever waits in this process that something has changed, so that they look again. */
export class Bell {
  private readonly listeners = new Set<() => void>();

  ring(): void {
    for (const listener of this.listeners) listener();
  }

  /** Resolves at the next ring, or after the time. */
  rung(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.listeners.delete(done);
        resolve();
      };
      const timer = setTimeout(done, limitMs);
      this.listeners.add(done);
    });
  }
}
