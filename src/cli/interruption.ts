const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Ctrl-C as an AbortSignal. The first one aborts it, the second ends the process at once. The signals are taken over
 * only when somebody asks for `signal`: a command that never looks at it ends on the first, as it would anyway.
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
      process.stderr.write('Stopping after the item in hand; once more ends at once.\n');
      this.controller.abort(new Error('Stopped before it was done.'));
      return;
    }
    this.end();
    process.kill(process.pid, name);
  };
}
