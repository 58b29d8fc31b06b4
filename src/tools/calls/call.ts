import type { BoundedTry, Usage } from '../../kernel';
import type { Config } from '../../infrastructure/config';
import type { Evidence, RunnableTool } from '../contract';
import type { CallRequest, CallTrace } from './call.types';
import { Deadline } from './deadline';
import type { Watch } from './watched-context';

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
  watch: Watch | null = null;

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
