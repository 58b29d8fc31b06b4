import {
  AppError,
  type ChatMessage,
  type FunctionCall,
  type JsonObject,
  Semaphore,
  type Usage,
  inNameOrder,
} from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { type EchoedMembers, type ModelRequest, callId } from '../../connectors';
import { CONFIG, type Config } from '../../infrastructure/config';
import type { RunBudget } from '../../runs';
import {
  ARGUMENTS_LIMIT,
  CallScope,
  type FunctionInvocation,
  FunctionInvoker,
  type FunctionOutcome,
  type FunctionSet,
  type RequestedCall,
  completedEvent,
  parsedArguments,
} from '../../tools';
import { keptExtras, keptMembers } from './answer-assembler';

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
class CallRounds {
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

/** The answer to one model request of a run. */
export interface RoundAnswer {
  readonly text: string;
  /** Complete, each with an id. */
  readonly calls: readonly FunctionCall[];
  /** Absent where the vendor sent none. */
  readonly echoed?: EchoedMembers;
  readonly finishReason: string;
  readonly usage: Usage | null;
}

export interface LoopInput {
  /** With the prompt's messages and the caller's parameters; without functions. */
  readonly request: ModelRequest;
  readonly functions: FunctionSet;
  readonly signal: AbortSignal;
  readonly budget: RunBudget;
  readonly invocation: Omit<FunctionInvocation, 'scope' | 'budget'>;
  /** Asks the model, and delivers what it says meanwhile. `round` counts from 1. */
  readonly ask: (request: ModelRequest, round: number) => Promise<RoundAnswer>;
  /** The outcomes of a round with the numbers of their sources written in, before the model reads them. */
  readonly numbered?: (outcomes: readonly FunctionOutcome[]) => readonly FunctionOutcome[];
  /** Told the outcomes of a round, in call order, when its last call has ended. */
  readonly onRound?: (outcomes: readonly FunctionOutcome[]) => void;
  /**
   * Grows with the run: the prompt's messages, then what the model asked for and what it got. Every call in it has exactly
   * one result, in the order of the calls, however the run ends.
   */
  readonly messages: ChatMessage[];
}

const NOT_IN_NAMES = /[^A-Za-z0-9_-]/g;
const MAX_NAME = 64;

const safeName = (name: string): string => name.replace(NOT_IN_NAMES, '_').slice(0, MAX_NAME) || 'unknown';

/** Vendors refuse a whole conversation for arguments that are no JSON object; the result says what was wrong with them. */
const safeArguments = (text: string): string =>
  text.trim() === '' || text.length > ARGUMENTS_LIMIT || parsedArguments(text) === null ? '{}' : text;

/** The model's turn as it goes back to it: in a form that every vendor takes, with the members that its own vendor demands. */
function callsMessage({ text, echoed }: RoundAnswer, calls: readonly FunctionCall[]): ChatMessage {
  const extras = keptExtras(calls);
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...keptMembers(echoed),
    tool_calls: calls.map(({ id, function: { name, arguments: args } }, at) => ({
      id,
      type: 'function',
      function: { name: safeName(name), arguments: safeArguments(args) },
      ...(extras[at] === undefined ? {} : { extra_content: extras[at] }),
    })),
  };
}

const resultMessage = ({ call, content }: FunctionOutcome): ChatMessage => ({
  role: 'tool',
  tool_call_id: call.id,
  content,
});

/** The calls with ids that no earlier round had: some vendors count from 0 in each. */
function withOwnIds({ calls }: RoundAnswer, taken: Set<string>): readonly FunctionCall[] {
  return calls.map((call) => {
    const id = call.id === '' || taken.has(call.id) ? callId() : call.id;
    taken.add(id);
    return id === call.id ? call : { ...call, id };
  });
}

/** Reasons for which an answer broke off: its calls may be half of what the model meant. */
const BROKEN_OFF: ReadonlySet<string> = new Set(['length', 'content_filter']);

/** Whether an answer is to be followed by a round of calls. Vendors do not agree on the finish reason: the calls decide. */
export const wantsFunctions = (calls: number, finishReason: string): boolean =>
  calls > 0 && !BROKEN_OFF.has(finishReason);

/**
 * Asks a model until it answers without a function call, and runs the calls in between. Every end of a function is a
 * result for the model; none ends the run.
 */
@Injectable()
export class ToolLoop {
  constructor(
    private readonly invoker: FunctionInvoker,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * @throws AppError `tool_loop.limit` when the model still calls functions in the last round or the tokens are spent;
   * the errors of `ask`; the signal's reason once it is aborted
   */
  async run(input: LoopInput): Promise<void> {
    const { functions, signal, budget, messages, ask } = input;
    const { maxRounds, parallelLimit } = this.config.tools;
    const rounds = new CallRounds(this.invoker, functions, { ...input.invocation, budget }, parallelLimit);
    const request = { ...input.request, params: withFunctions(input.request.params, functions) };
    const taken = new Set<string>();
    for (let round = 1; ; round += 1) {
      const answer = await ask(this.asked(request, input), round);
      budget.spend(answer.usage);
      signal.throwIfAborted();
      if (!wantsFunctions(answer.calls.length, answer.finishReason)) return;
      if (round >= maxRounds) throw limit(`The model still asked for functions in round ${round}, the last one`);
      if (budget.isSpent) throw limit('The run has spent its tokens, and the model asked for more functions');
      const calls = withOwnIds(answer, taken);
      const settled = await rounds.run(calls, round, signal);
      const outcomes = input.numbered?.(settled) ?? settled;
      messages.push(callsMessage(answer, calls), ...outcomes.map(resultMessage));
      for (const outcome of outcomes) budget.spend(outcome.usage);
      input.onRound?.(outcomes);
      signal.throwIfAborted();
    }
  }

  /** A copy: a connector may still hold the earlier one. */
  private asked(request: ModelRequest, { messages }: LoopInput): ModelRequest {
    return { ...request, messages: [...messages] };
  }
}

const limit = (detail: string): AppError => new AppError('tool_loop.limit', detail);

const withFunctions = (params: JsonObject, functions: FunctionSet): JsonObject => ({
  ...params,
  tools: functions.declarations.map((declaration) => ({ type: 'function', function: declaration })),
});
