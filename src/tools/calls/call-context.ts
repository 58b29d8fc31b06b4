import type { Principal } from '../../kernel';
import type { ToolContext, ToolOutcome } from '../contract';
import { cleanText, cutText } from '../output/clean-text';
import type { CallRequest, CallSurroundings } from './call.types';

const PROGRESS_CHARS = 200;

/** The context of one try. The prompt and earlier results are built only for tools that read them. */
export class CallContext implements ToolContext {
  readonly owner: Principal;
  readonly connector: string;
  readonly runId: string;
  protected readonly invocation: CallSurroundings;
  private isOpen = true;

  constructor(
    private readonly request: CallRequest,
    private readonly controller: AbortController,
    /** On the clock of `performance.now()`. */
    private readonly endsAt: number,
  ) {
    const { invocation } = request;
    this.invocation = invocation;
    this.owner = invocation.owner;
    this.connector = invocation.connector;
    this.runId = invocation.runId;
  }

  get assistantId(): number {
    return this.invocation.assistantId;
  }

  get remainingMs(): number {
    return Math.max(0, Math.ceil(this.endsAt - performance.now()));
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

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get prompt(): string {
    return this.invocation.prompt();
  }

  get results(): ReadonlyMap<string, ToolOutcome> {
    return this.invocation.results();
  }

  /** Bound, so that a tool may pass it on; silent once the try has settled. */
  readonly progress = (message: string): void => {
    if (!this.isOpen || typeof message !== 'string') return;
    const line = cleanText(cutText(message, PROGRESS_CHARS)).replaceAll(/[\r\n]+/g, ' ');
    this.invocation.emit({ type: 'tool.progress', ...this.request.ref, message: line });
  };

  close(): void {
    this.isOpen = false;
  }
}
