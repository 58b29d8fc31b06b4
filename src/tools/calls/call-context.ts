import type { Principal, ToolRef } from '../../kernel';
import { cleanText, cutText } from './clean-text';
import type { Invocation, ToolContext, ToolOutcome } from '../contract';

const PROGRESS_CHARS = 200;

/** Signal and deadline of the try that a context belongs to. */
export interface TryOfContext {
  readonly controller: AbortController;
  /** On the clock of `performance.now()`. */
  readonly endsAt: number;
}

/** What one try of a call sees. The prompt and the results are built only for tools that look at them. */
export class CallContext implements ToolContext {
  readonly owner: Principal;
  readonly connector: string;
  readonly runId: string;
  private open = true;

  constructor(
    private readonly ref: ToolRef,
    protected readonly invocation: Invocation,
    private readonly attempt: TryOfContext,
  ) {
    this.owner = invocation.owner;
    this.connector = invocation.connector;
    this.runId = invocation.runId;
  }

  get assistantId(): number {
    return this.invocation.assistantId;
  }

  get remainingMs(): number {
    return Math.max(0, Math.ceil(this.attempt.endsAt - performance.now()));
  }

  get caller(): ToolContext['caller'] {
    return this.invocation.caller;
  }

  get answer(): string | null {
    return this.invocation.answer ?? null;
  }

  get assistants(): ToolContext['assistants'] {
    return this.invocation.assistants ?? null;
  }

  /** Made when it is first looked at: few tools look. */
  get signal(): AbortSignal {
    return this.attempt.controller.signal;
  }

  get prompt(): string {
    return this.invocation.prompt();
  }

  get results(): ReadonlyMap<string, ToolOutcome> {
    return this.invocation.results();
  }

  /** Bound, so that a tool may hand it on; silent once the try has settled. */
  readonly progress = (message: string): void => {
    if (!this.open || typeof message !== 'string') return;
    const line = cleanText(cutText(message, PROGRESS_CHARS)).replaceAll(/[\r\n]+/g, ' ');
    this.invocation.emit({ type: 'tool.progress', ...this.ref, message: line });
  };

  close(): void {
    this.open = false;
  }
}
