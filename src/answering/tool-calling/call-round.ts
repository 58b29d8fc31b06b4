import { Semaphore, inNameOrder, type FunctionCall } from '@bellwether/kernel';
import {
  CallScope,
  completedEvent,
  type FunctionInvocation,
  type FunctionInvoker,
  type FunctionOutcome,
  type FunctionSet,
  parsedArguments,
  type RequestedCall,
} from '../../tools';

/** A failure may pass: an equal call gets one more try. */
const TRIES = 2;

const REPEATED = 'This call was made before with the same arguments; its result was:\n';

/** The same members in another order are the same arguments. */
function identityOf({ name, arguments: text }: RequestedCall): string {
  const args = parsedArguments(text);
  try {
    return JSON.stringify([name, args === null ? text : inNameOrder(args)]);
  } catch {
    return JSON.stringify([name, text]);
  }
}

/** A denial says the same every time, and a result is told as repeated once. */
function repeated(earlier: FunctionOutcome): string {
  const isDenial = earlier.status === 'failed' && earlier.code === 'tool.unavailable';
  return isDenial || earlier.content.startsWith(REPEATED) ? earlier.content : REPEATED + earlier.content;
}

interface Made {
  readonly outcome: Promise<FunctionOutcome>;
  readonly tries: number;
}

/** The function calls of one run: at most `limit` at once, equal ones once. */
export class CallRounds {
  private readonly made = new Map<string, Made>();
  private count = 0;

  constructor(
    private readonly invoker: FunctionInvoker,
    private readonly functions: FunctionSet,
    private readonly invocation: Omit<FunctionInvocation, 'scope'>,
    private readonly limit: number,
  ) {}

  /** One outcome per call, in call order. Never rejects; once `signal` is aborted the calls that still run are cancelled. */
  async run(calls: readonly FunctionCall[], round: number, signal: AbortSignal): Promise<readonly FunctionOutcome[]> {
    const requested = calls.map(({ id, function: called }): RequestedCall => {
      const call = { index: this.count, id, round, name: called.name, arguments: called.arguments };
      this.count += 1;
      return call;
    });
    for (const call of requested) this.tell(call);
    const scope = new CallScope(signal);
    const semaphore = new Semaphore(this.limit);
    const outcomes = await Promise.all(requested.map((call) => semaphore.run(() => this.one(call, scope))));
    scope.close();
    return outcomes;
  }

  private async one(call: RequestedCall, scope: CallScope): Promise<FunctionOutcome> {
    const identity = identityOf(call);
    let known = this.made.get(identity);
    while (known !== undefined) {
      const earlier = await known.outcome;
      if (earlier.status === 'completed' || known.tries >= TRIES) return this.again(call, earlier);
      // Another call may have made its try meanwhile.
      const latest = this.made.get(identity);
      if (latest === known) break;
      known = latest;
    }
    const outcome = this.invoker.invoke(call, this.functions.find(call.name), { ...this.invocation, scope });
    this.made.set(identity, { outcome, tries: (known?.tries ?? 0) + 1 });
    return outcome;
  }

  /** The result of an equal call, told as one of its own. */
  private again(call: RequestedCall, earlier: FunctionOutcome): FunctionOutcome {
    const { plugin, name } = earlier;
    const ref = { index: call.index, plugin, placeholder: null, call: { id: call.id, name, round: call.round } };
    const { emit } = this.invocation;
    const content = repeated(earlier);
    const shift = content.length - earlier.content.length;
    emit({ type: 'tool.started', ...ref, message: `🔧 Calling ${name}...` });
    if (earlier.status === 'failed') {
      emit({ type: 'tool.failed', ...ref, code: earlier.code, message: `❌ ${name} failed` });
      return { ...earlier, call, duration_ms: 0, content, usage: null };
    }
    const outcome = { ...earlier, call, content, duration_ms: 0, cached: true, usage: null, warnings: [] };
    emit(completedEvent(ref, { ...outcome, sources: [] }));
    const citations = earlier.citations?.map(({ at, source }) => ({ at: at + shift, source })) ?? [];
    return { ...outcome, citations };
  }

  private tell(call: RequestedCall): void {
    const name = this.functions.find(call.name)?.declaration.name ?? 'unknown';
    const { id, round } = call;
    this.invocation.emit({ type: 'llm.tool_call', id, name, round, chars: call.arguments.length });
  }
}
