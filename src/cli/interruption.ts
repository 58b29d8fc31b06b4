const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Ctrl-C as an AbortSignal: the first aborts it, the second ends the process. Handlers are installed when `signal` is
 * read first.
 */
export class Interruption {
  private readonly controller = new AbortController();
  private listening = false;

  get signal(): AbortSignal {
    if (!this.listening) for (const name of SIGNALS) process.on(name, this.interrupt);
    this.listening = true;
    return this.controller.signal;
  }

  end(): void {
    for (const name of SIGNALS) process.off(name, this.interrupt);
    this.listening = false;
  }

  private readonly interrupt = (name: NodeJS.Signals): void => {
    if (!this.controller.signal.aborted) {
      process.stderr.write('Stopping after the current item. Repeat to stop at once.\n');
      this.controller.abort(new Error('Stopped before it was done.'));
      return;
    }
    this.end();
    process.kill(process.pid, name);
  };
}
