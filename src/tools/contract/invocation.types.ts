import type { Caller, EmitRunEvent, Principal } from '@bellwether/kernel';
import type { AssistantAbility, ToolOutcome, ToolTexts } from '@bellwether/plugin';

/**
 * Stops many tool calls together, with one listener on the run's signal: listeners and signals of their own are most of
 * what a call would cost. The code that opens a scope closes it.
 */
export class CallScope {
  private readonly stops = new Set<() => void>();
  private stopped: boolean;

  constructor(private readonly signal: AbortSignal) {
    this.stopped = signal.aborted;
    if (!this.stopped) signal.addEventListener('abort', this.stop, { once: true });
  }

  get isStopped(): boolean {
    return this.stopped;
  }

  add(stop: () => void): void {
    this.stops.add(stop);
  }

  delete(stop: () => void): void {
    this.stops.delete(stop);
  }

  /** Stops every call that still runs and every later one. */
  readonly stop = (): void => {
    this.stopped = true;
    for (const stop of [...this.stops]) stop();
  };

  close(): void {
    this.signal.removeEventListener('abort', this.stop);
  }
}

/** The context of one tool call. `prompt` and `results` are asked only when the tool looks at them. */
export interface Invocation {
  readonly scope: CallScope;
  readonly owner: Principal;
  readonly caller: Caller;
  readonly assistantId: number;
  /** Connector that the assistant names, `auto` for the organization's default. */
  readonly connector: string;
  readonly runId: string;
  /** Absent where no other assistant may be reached. */
  readonly assistants?: AssistantAbility | null;
  readonly texts: ToolTexts;
  readonly emit: EmitRunEvent;
  /** Id of the plan's step that this call is. */
  readonly step?: string;
  /** Set for tools of the phase `answer`. */
  readonly answer?: string;
  readonly prompt: () => string;
  readonly results: () => ReadonlyMap<string, ToolOutcome>;
}
