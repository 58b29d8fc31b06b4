import { randomBytes } from 'node:crypto';

/** Place of a span in a trace (W3C Trace Context). */
export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
}

/** A later version may add members after the flags. Version ff is invalid. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;
const ZEROS = /^0+$/;

/** Null for a header that is absent or malformed: the trace then begins here. */
export function readTraceparent(header: unknown): SpanContext | null {
  if (typeof header !== 'string') return null;
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(header) ?? [];
  if (traceId === '' || ZEROS.test(traceId) || ZEROS.test(spanId)) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export const writeTraceparent = ({ traceId, spanId, sampled }: SpanContext): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;

/** Numbers of the OTLP protocol. */
export const SPAN_KINDS = { internal: 1, server: 2, client: 3 } as const;
export type SpanKind = keyof typeof SPAN_KINDS;

export type Attribute = string | number | boolean | readonly string[] | null | undefined;
export type Attributes = Readonly<Record<string, Attribute>>;

/** Receives finished spans. */
export interface SpanSink {
  /** True when spans may carry questions, answers and results. */
  readonly capturesContents: boolean;
  take(span: Span): void;
}

/** Facts that all spans of one trace in this process share. */
interface TraceFacts {
  readonly sink: SpanSink;
  readonly traceId: string;
  /** Unix time minus monotonic time, so that a clock that is set does not tear a trace apart. Milliseconds. */
  readonly clockOffset: number;
  spans: number;
}

export interface SpanOptions {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes?: Attributes;
  /** On the clock of `performance.now()`; now when absent. */
  readonly startedAt?: number;
}

/** Spans of one trace in this process; later ones are left out, so that one run cannot fill the buffer. */
const MOST_SPANS = 500;

/** One timed step of a trace. Exists only while the trace is recorded. */
export class Span implements SpanContext {
  readonly spanId = randomBytes(8).toString('hex');
  readonly sampled = true;
  readonly startedAt: number;
  readonly kind: SpanKind;
  readonly attributes: Record<string, Attribute>;
  name: string;
  endedAt: number | null = null;
  /** Why it failed; null without a failure. */
  error: string | null = null;

  private constructor(
    { name, kind, attributes, startedAt }: SpanOptions,
    private readonly facts: TraceFacts,
    /** Null for the first span of a trace. */
    readonly parentId: string | null,
  ) {
    this.name = name;
    this.kind = kind;
    this.attributes = { ...attributes };
    this.startedAt = startedAt ?? performance.now();
  }

  /** The first span of this process, under `parent` when the caller sent one. */
  static root(sink: SpanSink, options: SpanOptions, parent: SpanContext | null): Span {
    const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
    const clockOffset = Date.now() - performance.now();
    return new Span(options, { sink, traceId, clockOffset, spans: 1 }, parent?.spanId ?? null);
  }

  get traceId(): string {
    return this.facts.traceId;
  }

  get capturesContents(): boolean {
    return this.facts.sink.capturesContents;
  }

  /** Null when the trace has too many. */
  child(options: SpanOptions): Span | null {
    this.facts.spans += 1;
    return this.facts.spans > MOST_SPANS ? null : new Span(options, this.facts, this.spanId);
  }

  set(attributes: Attributes): this {
    Object.assign(this.attributes, attributes);
    return this;
  }

  /** `error` is a code, never a message: messages may quote content. */
  fail(error: string): this {
    this.error = error;
    return this.set({ 'error.type': error });
  }

  /** Once; later calls do nothing. */
  end(): void {
    if (this.endedAt !== null) return;
    this.endedAt = performance.now();
    this.facts.sink.take(this);
  }

  /** Unix time of a moment on the clock of `performance.now()`, in nanoseconds. */
  unixNano(moment: number): string {
    const ms = this.facts.clockOffset + moment;
    const whole = Math.floor(ms);
    return String(BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6)));
  }
}
