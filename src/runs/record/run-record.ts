import type { StampedRunEvent, ToolRef } from '../../kernel';
import { shapeReport, shapeSource } from '../report/shape-report';
import type { Run } from '../run/run';
import type { RunInput, RunOutcome, RunRecord, ToolTiming } from '../run/run.types';

const rounded = (ms: number): number => Math.round(ms * 100) / 100;

type EventOf<T extends StampedRunEvent['type']> = Extract<StampedRunEvent, { type: T }>;
type ToolEnd = EventOf<'tool.completed' | 'tool.failed' | 'tool.skipped'>;

const baseOf = ({ index, plugin, placeholder, call, step }: ToolEnd) => ({
  index,
  plugin,
  placeholder,
  chars: null,
  cached: false,
  retries: 0,
  code: null,
  confidence: null,
  ...(call === undefined ? {} : { call }),
  ...(step === undefined ? {} : { step }),
});

function failureOf(event: EventOf<'tool.failed'>, startedAt: string | undefined): ToolTiming {
  const { code, retries = 0, bounded } = event;
  const duration_ms = startedAt === undefined ? null : Date.parse(event.at) - Date.parse(startedAt);
  const bound = bounded === undefined ? {} : { bounded };
  return { ...baseOf(event), status: 'failed', duration_ms, code, retries, ...bound };
}

function timingOf(event: StampedRunEvent, startedAt: string | undefined): ToolTiming | null {
  if (event.type === 'tool.failed') return failureOf(event, startedAt);
  if (event.type === 'tool.skipped') return { ...baseOf(event), status: 'skipped', duration_ms: null };
  if (event.type !== 'tool.completed') return null;
  return {
    ...baseOf(event),
    status: 'completed',
    duration_ms: rounded(event.duration_ms),
    chars: event.chars,
    cached: event.cached,
    retries: event.retries,
    confidence: event.confidence,
    ...(event.bounded === undefined ? {} : { bounded: event.bounded }),
    ...(event.fallback === undefined ? {} : { fallback: event.fallback }),
  };
}

/** Functions and pipeline tools both count from 0, and a planned tool may run more than once. */
const keyOf = ({ index, call, step = '' }: ToolRef): string =>
  `${call === undefined ? 'tool' : 'call'} ${index} ${step}`;

/** Timings from the end events: pipeline tools in document order, then functions in call order. */
export function toolTimings(events: readonly StampedRunEvent[]): readonly ToolTiming[] {
  const started = new Map<string, string>();
  const timings: ToolTiming[] = [];
  for (const event of events) {
    if (event.type === 'tool.started') started.set(keyOf(event), event.at);
    const timing = timingOf(event, 'index' in event ? started.get(keyOf(event)) : undefined);
    if (timing !== null) timings.push(timing);
  }
  return timings.sort((a, b) => Number(a.call !== undefined) - Number(b.call !== undefined) || a.index - b.index);
}

export function queuedRecord(id: string, { assistant, caller, strategy, stream, parentRunId }: RunInput): RunRecord {
  return {
    id,
    organizationId: assistant.organizationId,
    callerOrganizationId: caller.organizationId === assistant.organizationId ? null : caller.organizationId,
    parentRunId: parentRunId ?? null,
    userId: caller.userId,
    credentialId: caller.credentialId,
    assistantId: assistant.id,
    assistantName: assistant.name,
    assistantType: assistant.type,
    strategy,
    connector: null,
    model: null,
    stream,
    status: 'queued',
    finishReason: null,
    errorCode: null,
    createdAt: new Date().toISOString(),
    finishedAt: null,
    durationMs: null,
    preparedMs: null,
    firstTokenMs: null,
    tools: [],
    sources: [],
    usage: null,
    events: [],
    report: null,
    background: true,
    plan: null,
  };
}

export const runningRecord = (run: Run): RunRecord => ({
  ...queuedRecord(run.id, run.input),
  status: 'running',
  createdAt: run.createdAt.toISOString(),
  tools: toolTimings(run.recorded),
  events: run.recorded,
  background: run.background,
  plan: run.plan,
});

const orNull = (ms: number | null | undefined): number | null => (ms === null || ms === undefined ? null : rounded(ms));

/** The report is cut and redacted. */
export function finishedRecord(run: Run, outcome: RunOutcome): RunRecord {
  const secrets = outcome.secrets ?? [];
  const sources = (outcome.sources ?? []).map((source) => shapeSource(source, secrets));
  return {
    ...runningRecord(run),
    connector: outcome.connector ?? null,
    model: outcome.model ?? null,
    status: outcome.status,
    finishReason: outcome.finishReason ?? null,
    errorCode: outcome.errorCode ?? null,
    finishedAt: new Date().toISOString(),
    durationMs: rounded(performance.now() - run.startedMono),
    preparedMs: orNull(outcome.preparedMs),
    firstTokenMs: orNull(outcome.firstTokenMs),
    sources,
    usage: outcome.usage ?? null,
    report: outcome.report ? shapeReport(outcome.report, secrets, sources) : null,
  };
}
