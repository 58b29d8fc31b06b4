import { type StampedRunEvent, type ToolRef, isJsonObject } from '@bellwether/kernel';
import { cut, storable } from './report-markdown';
import { STORED_LIMITS, redactText, shapePassages, shapeReport, shapeSource } from './shape-report';
import type { Run } from './run';
import type { RunEnding, RunInput, RunOutcome, RunRecord, ToolTiming } from './run.types';

function deep(value: unknown): unknown {
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map(deep);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [storable(name), deep(member)]));
}

/** A copy whose texts jsonb accepts, for rows that the database refused. Events stay as they are: their column is `json`. */
export const storableRecord = ({ events, ending: _ending, ...record }: RunRecord): RunRecord => ({
  ...(deep({ ...record, events: [] }) as RunRecord),
  events,
});

/** Identity and outcome only, for rows whose storable copy was refused as well. */
export const bareRecord = (record: RunRecord): RunRecord =>
  storableRecord({ ...record, tools: [], sources: [], passages: [], report: null, plan: null, usage: null });

const rounded = (ms: number): number => Math.round(ms * 100) / 100;

type EventOf<T extends StampedRunEvent['type']> = Extract<StampedRunEvent, { type: T }>;
type ToolEnd = EventOf<'tool.completed' | 'tool.failed' | 'tool.skipped'>;

const baseOf = ({ index, plugin, placeholder, label, call, step }: ToolEnd) => ({
  index,
  plugin,
  placeholder,
  chars: null,
  cached: false,
  retries: 0,
  code: null,
  confidence: null,
  ...(label === undefined ? {} : { label }),
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
    ...(event.search === undefined ? {} : { search: event.search }),
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

const QUESTION_CHARS = 120;

/** The beginning of a question in one line, without credentials. */
function beginningOf(question: string): string | null {
  const window = question
    .slice(0, 4 * QUESTION_CHARS)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return window === '' ? null : storable(cut(redactText(window, []), QUESTION_CHARS));
}

const problemsIn = (tools: readonly ToolTiming[]): number => tools.filter(({ status }) => status === 'failed').length;

export function queuedRecord(id: string, input: RunInput): RunRecord {
  const { assistant, caller, strategy, stream, parentRunId, draft = false, question = '' } = input;
  return {
    id,
    organizationId: assistant.organizationId,
    callerOrganizationId: caller.organizationId === assistant.organizationId ? null : caller.organizationId,
    parentRunId: parentRunId ?? null,
    userId: caller.userId,
    credentialId: caller.credentialId,
    requestId: caller.origin?.requestId ?? null,
    assistantId: assistant.id,
    assistantName: assistant.name,
    assistantType: assistant.type,
    assistantVersion: draft ? null : (assistant.version ?? null),
    question: beginningOf(question),
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
    problems: 0,
    costMicros: null,
    sources: [],
    passages: [],
    usage: null,
    events: [],
    report: null,
    background: true,
    plan: null,
    draft,
    rating: null,
    replay: input.replay ?? null,
  };
}

export function runningRecord(run: Run): RunRecord {
  const tools = toolTimings(run.recorded);
  return {
    ...queuedRecord(run.id, run.input),
    status: 'running',
    createdAt: run.createdAt.toISOString(),
    tools,
    problems: problemsIn(tools),
    events: run.recorded,
    background: run.background,
    plan: run.plan,
  };
}

const orNull = (ms: number | null | undefined): number | null => (ms === null || ms === undefined ? null : rounded(ms));

const endingOf = ({ input }: Run, { facts, secrets = [] }: RunOutcome): RunEnding => ({
  question: input.question ?? '',
  secrets,
  ...(facts === undefined ? {} : { facts }),
});

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
    passages: shapePassages(outcome.passages ?? [], secrets),
    usage: outcome.usage ?? null,
    costMicros: outcome.costMicros ?? null,
    report: outcome.report ? shapeReport(outcome.report, secrets, sources, STORED_LIMITS) : null,
    ending: endingOf(run, outcome),
  };
}
