import { CallContext } from '../calls/call-context';
import { withinDeadline } from '../calls/deadline';
import type { StartedCall } from './call.types';

/** One try, with its own signal and context, so that a late effect of it cannot reach the next try. */
export class Attempt {
  /** On the clock of `performance.now()`; a fraction from the start, so that the engine keeps one shape of object. */
  beganAt = Number.NaN;
  /** 0 as long as it has not begun. */
  timeoutMs = 0;
  private context: CallContext | null = null;

  constructor(
    readonly started: StartedCall,
    /** Milliseconds that history gives it; Infinity where it gives no bound. */
    private readonly boundMs: number,
  ) {}

  get elapsedMs(): number {
    return performance.now() - this.beganAt;
  }

  /** True when the try ran into the bound that history set. */
  get isBounded(): boolean {
    return this.timeoutMs === Math.ceil(this.boundMs) && this.elapsedMs >= this.boundMs;
  }

  run(now: number): Promise<unknown> {
    const { call, endsAt } = this.started;
    this.beganAt = now;
    this.timeoutMs = Math.ceil(Math.min(this.boundMs, endsAt - now));
    return withinDeadline(this.begin, { timeoutMs: this.timeoutMs, scope: call.invocation.scope });
  }

  close(): void {
    this.context?.close();
  }

  private readonly begin = (controller: AbortController): Promise<unknown> => {
    const endsAt = this.beganAt + this.timeoutMs;
    const { call, keepable } = this.started;
    const { tool, config, input, invocation, ref } = call;
    this.context =
      keepable?.context(ref, controller, endsAt) ?? new CallContext(ref, invocation, { controller, endsAt });
    return tool.run(config, keepable?.input() ?? input, this.context);
  };
}
