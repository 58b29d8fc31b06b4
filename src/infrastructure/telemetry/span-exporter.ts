import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Agent, request } from 'undici';
import { type Attribute, type Attributes, SPAN_KINDS, type Span, type SpanSink } from '../context';
import { MetricRegistry, counter } from './metric-registry';

export const TRACE_SPANS = counter({
  name: 'bellwether_trace_spans',
  help: 'Spans of traces: exported, or dropped because the backend was slow, away or refused them.',
  labels: ['outcome'],
});

@Injectable()
export class TraceMetrics {
  private readonly spans;

  constructor(registry: MetricRegistry) {
    this.spans = registry.counter(TRACE_SPANS);
  }

  ended(outcome: 'exported' | 'dropped', spans: number): void {
    this.spans.at(outcome).inc(spans);
  }
}

type AnyValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly AnyValue[] } };

interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

const SCOPE = { name: 'bellwether' };
const ERROR = 2;
/** The flag `sampled` of W3C Trace Context. */
const SAMPLED = 1;

/**
 * The body of a request to `/v1/traces`: OTLP 1.x in JSON. Ids are hexadecimal and 64-bit numbers are strings (OTLP
 * specification, "JSON Protobuf Encoding").
 */
const tracesRequest = (spans: readonly Span[], resource: Attributes): object => ({
  resourceSpans: [
    {
      resource: { attributes: keyValues(resource) },
      scopeSpans: [{ scope: SCOPE, spans: spans.map(spanOf) }],
    },
  ],
});

const spanOf = (span: Span): object => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentId === null ? {} : { parentSpanId: span.parentId }),
  flags: SAMPLED,
  name: span.name,
  kind: SPAN_KINDS[span.kind],
  startTimeUnixNano: span.unixNano(span.startedAt),
  endTimeUnixNano: span.unixNano(span.endedAt ?? span.startedAt),
  attributes: keyValues(span.attributes),
  status: span.error === null ? {} : { code: ERROR, message: span.error },
});

const keyValues = (attributes: Attributes): KeyValue[] =>
  Object.entries(attributes).flatMap(([key, attribute]) => {
    const value = anyValue(attribute);
    return value === null ? [] : [{ key, value }];
  });

function anyValue(attribute: Attribute): AnyValue | null {
  if (attribute === null || attribute === undefined) return null;
  if (typeof attribute === 'string') return { stringValue: attribute };
  if (typeof attribute === 'boolean') return { boolValue: attribute };
  if (typeof attribute === 'number') {
    return Number.isSafeInteger(attribute) ? { intValue: String(attribute) } : { doubleValue: attribute };
  }
  return { arrayValue: { values: attribute.map((stringValue) => ({ stringValue })) } };
}

/** Spans that the backend did not keep (`partialSuccess`); 0 for any other answer. */
function rejectedSpans(text: string): number {
  try {
    const { partialSuccess } = JSON.parse(text) as { partialSuccess?: { rejectedSpans?: string | number } };
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0);
    return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0;
  } catch {
    return 0;
  }
}

export interface ExporterOptions {
  /** Without `/v1/traces`. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly service: string;
  readonly version: string;
  /** Names this process among its replicas. */
  readonly instance: string;
  readonly contents: boolean;
}

/** Spans that wait at most. Further ones are dropped: a slow backend must not cost memory. */
const MOST_WAITING = 2_048;
/** Characters of their attributes; contents are long. */
const MOST_CHARACTERS = 8_000_000;
/** Writing a batch blocks the event loop for about a millisecond. */
const BATCH = 256;
const PAUSE_MS = 2_000;
const TIMEOUT_MS = 10_000;
const CLOSE_MS = 2_000;
const TRIES = 4;
const BACKOFF_MS = 1_000;
const MOST_BACKOFF_MS = 30_000;
const MOST_ANSWER = 64 * 1024;
/** OTLP specification, "Retryable Response Codes". */
const RETRIED: ReadonlySet<number> = new Set([429, 502, 503, 504]);

type Delivery = 'delivered' | 'refused' | { readonly retryAfterMs: number | null };

/** Sends finished spans to an OTLP backend, behind the answers. Nothing waits for it, and nothing fails with it. */
export class SpanExporter implements SpanSink {
  private readonly logger = new Logger('Tracing');
  private readonly agent = new Agent({ connections: 1, pipelining: 1, connect: { timeout: TIMEOUT_MS } });
  private readonly closing = new AbortController();
  private readonly resource;
  private waiting: Span[] = [];
  private characters = 0;
  private timer: NodeJS.Timeout | null = null;
  private sending: Promise<void> | null = null;
  /** Spans dropped since the backend failed; null while it works. */
  private dropped: number | null = null;

  constructor(
    private readonly options: ExporterOptions,
    private readonly metrics: TraceMetrics,
  ) {
    const { service, version, instance } = options;
    this.resource = { 'service.name': service, 'service.version': version, 'service.instance.id': instance };
  }

  get capturesContents(): boolean {
    return this.options.contents;
  }

  /** Since the backend failed; 0 while it works. */
  get droppedSpans(): number {
    return this.dropped ?? 0;
  }

  take(span: Span): void {
    const size = sizeOf(span);
    if (this.waiting.length >= MOST_WAITING || this.characters + size > MOST_CHARACTERS) return this.drop(1);
    this.waiting.push(span);
    this.characters += size;
    if (this.waiting.length >= BATCH) this.send();
    else this.timer ??= setTimeout(() => this.send(), PAUSE_MS).unref();
  }

  /** Sends what waits, within a limit. */
  async close(): Promise<void> {
    const limit = sleep(CLOSE_MS, undefined, { ref: false });
    this.closing.abort();
    this.send();
    await Promise.race([this.sending, limit]);
    await this.agent.destroy();
  }

  private send(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.sending ??= this.drain().finally(() => {
      this.sending = null;
      if (this.waiting.length > 0 && !this.closing.signal.aborted)
        this.timer ??= setTimeout(() => this.send(), PAUSE_MS).unref();
    });
  }

  private async drain(): Promise<void> {
    do {
      const batch = this.waiting.splice(0, BATCH);
      for (const span of batch) this.characters -= sizeOf(span);
      if (batch.length > 0) await this.deliver(batch);
    } while (this.waiting.length >= BATCH || (this.closing.signal.aborted && this.waiting.length > 0));
  }

  private async deliver(batch: readonly Span[]): Promise<void> {
    const body = JSON.stringify(tracesRequest(batch, this.resource));
    for (let tries = 1; ; tries += 1) {
      const delivery = await this.post(body, batch.length);
      if (delivery === 'delivered') return;
      const isLast = delivery === 'refused' || tries >= TRIES || this.closing.signal.aborted;
      if (isLast) return this.drop(batch.length);
      const backoffMs = BACKOFF_MS * 2 ** (tries - 1) * (0.75 + Math.random() / 2);
      const waitMs = Math.min(delivery.retryAfterMs ?? backoffMs, MOST_BACKOFF_MS);
      await sleep(waitMs, undefined, { ref: false, signal: this.closing.signal }).catch(() => undefined);
    }
  }

  private async post(body: string, spans: number): Promise<Delivery> {
    const { endpoint, headers } = this.options;
    try {
      const answer = await request(`${endpoint}/v1/traces`, {
        dispatcher: this.agent,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(this.closing.signal.aborted ? CLOSE_MS : TIMEOUT_MS),
      });
      const text = await readSome(answer.body);
      if (answer.statusCode >= 200 && answer.statusCode < 300) {
        this.delivered(spans, Math.min(spans, rejectedSpans(text)));
        return 'delivered';
      }
      this.failing({ status: answer.statusCode });
      if (!RETRIED.has(answer.statusCode)) return 'refused';
      const seconds = Number(answer.headers['retry-after']);
      return { retryAfterMs: Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null };
    } catch (error) {
      // The message may quote the address, which may hold a credential.
      this.failing({ reason: (error as NodeJS.ErrnoException).code ?? (error as Error).name });
      return { retryAfterMs: null };
    }
  }

  private delivered(spans: number, rejected: number): void {
    this.metrics.ended('exported', spans - rejected);
    if (rejected > 0) this.metrics.ended('dropped', rejected);
    if (this.dropped === null) return;
    this.logger.log({ msg: 'traces are delivered again', dropped_spans: this.dropped });
    this.dropped = null;
  }

  /** One line for each outage: a line for each batch would fill the log. */
  private failing(reason: object): void {
    if (this.dropped !== null) return;
    this.dropped = 0;
    this.logger.warn({ msg: 'traces cannot be delivered; spans are dropped until they can', ...reason });
  }

  private drop(spans: number): void {
    this.metrics.ended('dropped', spans);
    this.failing({ reason: 'too many spans' });
    this.dropped = (this.dropped ?? 0) + spans;
  }
}

const OVERHEAD = 300;

/** Approximate characters of a span's attributes. */
function sizeOf({ attributes }: Span): number {
  let size = OVERHEAD;
  for (const value of Object.values(attributes)) if (typeof value === 'string') size += value.length;
  return size;
}

/** The beginning of an answer; the rest of a long one is left on the way. */
async function readSome(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    parts.push(part);
    size += part.length;
    if (size > MOST_ANSWER) break;
  }
  return Buffer.concat(parts).toString('utf8');
}
