import {
  AppError,
  type BoundedTry,
  type ChatMessage,
  type ErrorCode,
  type JsonObject,
  type Principal,
  type ToolRef,
  type Usage,
} from '@bellwether/kernel';
import type { Config } from '../infrastructure/config';
import { CONNECTION_LOSS_CODES } from '../infrastructure/outbound';
import {
  type Evidence,
  type Invocation,
  type PipelineTool,
  type PreparedCall,
  type RunnableTool,
  type ToolCaching,
  type ToolContext,
  ToolFailure,
  type ToolInput,
  type ToolOutcome,
} from './contract';
import { cleanText, cutText } from './read-output';
import { Deadline } from './deadline';

/** The context of one call, without the parts that only events need. */
export type CallSurroundings = Omit<Invocation, 'texts' | 'step'>;

export interface CallRequest {
  readonly prepared: PreparedCall;
  readonly entry: Pick<PipelineTool, 'timeout_ms' | 'retries' | 'cache'>;
  readonly input: ToolInput;
  readonly invocation: CallSurroundings;
  /** Names the call in events. */
  readonly ref: ToolRef;
  /** On the clock of `performance.now()`. */
  readonly startedAt: number;
}

/** The facts of a call that its outcome, its log line and the statistics tell; failed calls have them too. */
export interface CallTrace {
  readonly startedAt: number;
  readonly evidence: Evidence | undefined;
  readonly retries: number;
  /** The result was kept from an earlier call. */
  readonly cached: boolean;
  /** Milliseconds of the successful try; null without one. */
  readonly tryMs: number | null;
  /** The last try that reached its learned bound; null without one. */
  readonly bounded: BoundedTry | null;
  /** Tokens of failed tries; null without any. */
  readonly spent: Usage | null;
}

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

/** Notes which inputs a tool reads without having declared them in `caching`. */
export class ReadTracker {
  readonly undeclared = new Set<string>();
  readonly query: boolean;
  readonly messages: boolean;
  /** `results` and `prompt`. */
  readonly results: boolean;
  readonly caller: boolean;
  readonly assistantId: boolean;

  constructor(caching: ToolCaching, config: JsonObject) {
    const isRenewed = caching.renew !== undefined;
    this.query = caching.forEveryQuestion !== true;
    this.messages = caching.messages?.(config) === true;
    this.results = caching.results === true;
    this.caller = isRenewed || caching.personal === true;
    this.assistantId = isRenewed;
  }

  read(member: string, isDeclared = false): void {
    if (!isDeclared) this.undeclared.add(member);
  }
}

/** A context that reports every read of an input that may decide the result. */
export class TrackedContext extends CallContext {
  constructor(
    private readonly tracker: ReadTracker,
    ...of: [request: CallRequest, controller: AbortController, endsAt: number]
  ) {
    super(...of);
  }

  override get caller(): ToolContext['caller'] {
    this.tracker.read('caller', this.tracker.caller);
    return super.caller;
  }

  override get assistantId(): number {
    this.tracker.read('assistantId', this.tracker.assistantId);
    return super.assistantId;
  }

  override get assistants(): ToolContext['assistants'] {
    this.tracker.read('assistants');
    return super.assistants;
  }

  override get prompt(): string {
    this.tracker.read('prompt', this.tracker.results);
    return super.prompt;
  }

  override get results(): ToolContext['results'] {
    this.tracker.read('results', this.tracker.results);
    return super.results;
  }
}

export class TrackedInput implements ToolInput {
  constructor(
    private readonly tracker: ReadTracker,
    private readonly input: ToolInput,
  ) {}

  get query(): string {
    this.tracker.read('query', this.tracker.query);
    return this.input.query;
  }

  get messages(): readonly ChatMessage[] {
    this.tracker.read('messages', this.tracker.messages);
    return this.input.messages;
  }

  get params(): JsonObject {
    this.tracker.read('params');
    return this.input.params ?? {};
  }
}

const NETWORK_CODES: ReadonlySet<unknown> = new Set([
  ...CONNECTION_LOSS_CODES,
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

const PASSING: ReadonlySet<ErrorCode> = new Set([
  'upstream_rate_limited',
  'upstream_error',
  'upstream_timeout',
  'upstream_truncated',
  'too_many_requests',
  'unavailable',
]);

/** Limit for chains of `cause`, which may be cyclic. */
const MAX_CAUSES = 3;

/** Whether a failure is transient, and whether the server caused it. */
export interface FailureKind {
  /** The same call may succeed a moment later. */
  readonly retryable: boolean;
  /** Milliseconds that the other side asked us to wait; null when it did not. */
  readonly retryAfterMs: number | null;
  /** State of the server. `unknown` for failures of the call alone and of our own services. */
  readonly health: 'bad' | 'good' | 'unknown';
}

const FINAL: FailureKind = { retryable: false, retryAfterMs: null, health: 'unknown' };
const ANSWERED: FailureKind = { ...FINAL, health: 'good' };
const BROKEN: FailureKind = { ...FINAL, health: 'bad' };

/** Reads anything that can be thrown, hostile proxies included; never throws itself. */
export function kindOf(error: unknown): FailureKind {
  try {
    if (error instanceof ToolFailure) return kindOfToolFailure(error);
    if (error instanceof AppError) return kindOfAppError(error);
    return isPassing(error, 0) ? passing(null) : FINAL;
  } catch {
    return FINAL;
  }
}

const passing = (retryAfterMs: number | null): FailureKind => ({ retryable: true, retryAfterMs, health: 'bad' });

function kindOfToolFailure({ code, options }: ToolFailure): FailureKind {
  const retryable = options.retryable ?? code === 'tool.timeout';
  return retryable ? passing(options.retryAfterMs ?? null) : FINAL;
}

function kindOfAppError({ code, retryAfter }: AppError): FailureKind {
  if (code === 'upstream_bad_response') return BROKEN;
  if (code === 'upstream_rejected' || code === 'upstream_auth') return ANSWERED;
  if (!PASSING.has(code)) return FINAL;
  const kind = passing(retryAfter === undefined ? null : retryAfter * 1_000);
  // Our own database or storage failed, which says nothing about the tool's target: its circuit must not open.
  return code === 'unavailable' ? { ...kind, health: 'unknown' } : kind;
}

/** A broken connection, a request that timed out, or an HTTP status after which trying again makes sense. */
function isPassing(error: unknown, depth: number): boolean {
  if (typeof error !== 'object' || error === null || depth > MAX_CAUSES) return false;
  const { code, name, status, statusCode, cause } = error as Record<string, unknown>;
  if (NETWORK_CODES.has(code) || name === 'TimeoutError') return true;
  const answered = status ?? statusCode;
  if (typeof answered === 'number') return [408, 409, 429].includes(answered) || (answered >= 500 && answered < 600);
  return isPassing(cause, depth + 1);
}

/** UTF-16 units of content that reach the prompt, unless the tool declares another limit. */
export const OUTPUT_LIMIT = 50_000;

/** One call on its way through the policies, which read and write it. */
export class Call implements CallTrace {
  readonly startedAt: number;
  readonly deadline: Deadline;
  readonly evidence: Evidence | undefined;
  readonly plugin: string;
  readonly organizationId: string;
  readonly variant: string;
  readonly configKey: string;
  readonly tool: RunnableTool;
  readonly outputLimit: number;
  readonly maxRetries: number;
  /** Milliseconds of the tool, or of the operator's default. */
  readonly baseMs: number;

  retries = 0;
  cached = false;
  tryMs: number | null = null;
  bounded: BoundedTry | null = null;
  /** Tokens of failed tries. */
  spent: Usage | null = null;

  /** `host:port` of the server behind the tool; null inside the service. */
  target: string | null = null;
  /** True for the one call that tests an open circuit. */
  isProbe = false;
  /** Set while the result may be kept. */
  watch: ReadTracker | null = null;

  /** Milliseconds that history gives the current try; Infinity without a bound. */
  boundMs = Infinity;
  /** 0 until the current try has begun. */
  timeoutMs = 0;

  constructor(
    readonly request: CallRequest,
    { maxRetries, defaultTimeoutMs }: Pick<Config['tools'], 'maxRetries' | 'defaultTimeoutMs'>,
  ) {
    const { prepared, entry, invocation, startedAt } = request;
    const { tool } = prepared;
    this.startedAt = startedAt;
    this.evidence = prepared.evidence;
    this.plugin = prepared.plugin;
    this.configKey = prepared.configKey;
    this.organizationId = invocation.owner.organizationId;
    this.variant = tool.variant ?? '';
    this.tool = tool;
    this.outputLimit = tool.outputLimit?.(prepared.config) ?? OUTPUT_LIMIT;
    this.maxRetries = entry.retries ?? tool.retries ?? maxRetries;
    this.baseMs = tool.timeoutMs ?? defaultTimeoutMs;
    this.deadline = new Deadline(startedAt, entry.timeout_ms ?? this.baseMs, invocation.scope);
  }

  /** Without a target, the config separates a dead server of one assistant from the servers of others. */
  get circuitKey(): string {
    return this.target ?? this.configKey;
  }
}
