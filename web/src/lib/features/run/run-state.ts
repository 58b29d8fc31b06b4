import type { EventBody, Plan, RunEvent, RunStatus, Source, ToldSearch, ToolEvent, Usage } from './run-events';

export type SpanKind = 'plan' | 'tool' | 'model' | 'function' | 'check';
export type SpanStatus = 'running' | 'completed' | 'failed' | 'skipped' | 'cancelled';

/** One piece of work of the run. Times are milliseconds since the run began. */
export interface Span {
  readonly key: string;
  readonly kind: SpanKind;
  /** Tool, function or model. */
  readonly name: string;
  readonly placeholder: string | null;
  /** Name that the assistant's author gave the tool. */
  readonly label: string | undefined;
  /** Position in the assistant's tools; null for everything else. */
  readonly index: number | null;
  readonly step: string | null;
  readonly start: number;
  readonly end: number | null;
  readonly status: SpanStatus;
  /** Duration by the service's own clock, where it told it. */
  readonly duration: number | null;
  readonly cached: boolean;
  readonly retries: number;
  readonly chars: number | null;
  readonly sources: number;
  readonly confidence: number | null;
  readonly fallback: string | null;
  readonly code: string | null;
  /** The latest thing it said. */
  readonly note: string | null;
  /** Facts of a search in knowledge bases. */
  readonly search: ToldSearch | null;
  /** When the first text of the answer came; of models only. */
  readonly firstText: number | null;
}

export interface RunState {
  readonly id: string;
  /** Number of the last event that is in here; 0 before the first. */
  readonly seq: number;
  readonly status: RunStatus;
  /** Milliseconds since 1970 of the first event. */
  readonly startedAt: number | null;
  /** Time of the last event, since the run began. */
  readonly now: number;
  readonly assistantType: 'classic' | 'multi_tool' | null;
  readonly strategy: string | null;
  readonly spans: readonly Span[];
  readonly plan: Plan | null;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  readonly checks: readonly { readonly plugin: string; readonly message: string }[];
  readonly prompt: { readonly messages: number; readonly chars: number } | null;
  readonly connector: string | null;
  readonly model: string | null;
  readonly answer: string;
  readonly sources: readonly Source[];
  readonly usage: Usage | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly reason: string | null;
  readonly finishReason: string | null;
}

export const beginning = (id: string): RunState => ({
  id,
  seq: 0,
  status: 'queued',
  startedAt: null,
  now: 0,
  assistantType: null,
  strategy: null,
  spans: [],
  plan: null,
  warnings: [],
  checks: [],
  prompt: null,
  connector: null,
  model: null,
  answer: '',
  sources: [],
  usage: null,
  error: null,
  reason: null,
  finishReason: null,
});

export const hasEnded = ({ status }: Pick<RunState, 'status'>): boolean => status !== 'queued' && status !== 'running';

/** The state after an event. Events that it holds already change nothing, so that a stream may overlap what was read. */
export function reduce(state: RunState, event: RunEvent): RunState {
  if (event.seq <= state.seq || hasEnded(state)) return state;
  const at = Date.parse(event.at);
  const startedAt = state.startedAt ?? at;
  const now = Math.max(state.now, at - startedAt);
  return apply({ ...state, seq: event.seq, startedAt, now, status: 'running' }, event);
}

export const reduceAll = (state: RunState, events: readonly RunEvent[]): RunState => events.reduce(reduce, state);

function apply(state: RunState, event: EventBody): RunState {
  if (isToolEvent(event)) return applyTool(state, event);
  switch (event.type) {
    case 'run.started':
      return { ...state, assistantType: event.assistant_type, strategy: event.strategy };
    case 'warning':
      return { ...state, warnings: [...state.warnings, { code: event.code, message: event.message }] };
    case 'plan.ready':
      return planned(state, event);
    case 'prompt.ready':
      return { ...state, prompt: { messages: event.messages, chars: event.chars } };
    case 'answer.checked':
      return { ...state, checks: [...state.checks, { plugin: event.plugin, message: event.message }] };
    case 'sources':
      return { ...modelDone(state), sources: event.sources };
    case 'usage':
      return { ...modelDone(state), usage: usageOf(event) };
    case 'run.completed':
      return ended({ ...state, status: 'completed', finishReason: event.finish_reason });
    case 'run.failed':
      return ended({
        ...vendorFailed(state, event.code),
        status: 'failed',
        error: { code: event.code, message: event.message },
      });
    case 'run.cancelled':
      return ended({ ...state, status: 'cancelled', reason: event.reason });
    default:
      return applyModel(state, event);
  }
}

function applyModel(state: RunState, event: EventBody): RunState {
  switch (event.type) {
    case 'llm.started': {
      const span = spanOf({ key: `m${event.round ?? 1}`, kind: 'model', name: event.model, start: state.now });
      const { connector, model } = event;
      return { ...withSpan(modelDone(state), span), connector, model };
    }
    case 'llm.delta':
      return { ...firstText(state), answer: state.answer + event.text };
    case 'llm.tool_call':
      return modelDone(state);
    default:
      // A kind of event that is newer than this page.
      return state;
  }
}

const isToolEvent = (event: EventBody): event is ToolEvent => event.type.startsWith('tool.');

function applyTool(state: RunState, event: ToolEvent): RunState {
  const { now } = state;
  const key = keyOf(event);
  const known = state.spans.find((span) => span.key === key) ?? newSpan(state, event, key);
  const before = known.kind === 'check' ? modelDone(state) : state;
  const span: Span = { ...known, note: event.message };
  switch (event.type) {
    case 'tool.started':
      return withSpan(before, span);
    case 'tool.progress':
      // `merging tool outputs` is about no single tool.
      return state.spans.includes(known) && known.end === null ? withSpan(before, span) : state;
    case 'tool.retry':
      return withSpan(before, { ...span, retries: event.attempt - 1 });
    case 'tool.skipped':
      return withSpan(before, { ...span, status: 'skipped', end: now, note: event.reason });
    case 'tool.failed':
      return withSpan(before, { ...span, status: 'failed', end: now, code: event.code });
    case 'tool.completed':
      return withSpan(before, { ...span, ...figuresOf(event), status: 'completed', end: now });
  }
}

function figuresOf(event: Extract<ToolEvent, { type: 'tool.completed' }>): Partial<Span> {
  const { duration_ms: duration, chars, sources, cached, confidence, retries, fallback = null, search = null } = event;
  return { duration, chars, sources, cached, confidence, retries, fallback, search };
}

const keyOf = ({ call, index, step }: ToolEvent): string =>
  call === undefined ? `t${index}${step === undefined ? '' : `:${step}`}` : `f${index}`;

function newSpan(state: RunState, event: ToolEvent, key: string): Span {
  const isFunction = event.call !== undefined;
  // What runs of the assistant's tools once the model has been asked looks at its answer.
  const isCheck = !isFunction && state.model !== null;
  return spanOf({
    key,
    kind: isFunction ? 'function' : isCheck ? 'check' : 'tool',
    name: event.call?.name ?? event.plugin,
    start: state.now,
    placeholder: event.placeholder,
    label: event.label,
    index: isFunction ? null : event.index,
    step: event.step ?? null,
  });
}

const spanOf = (given: Pick<Span, 'key' | 'kind' | 'name' | 'start'> & Partial<Span>): Span => ({
  placeholder: null,
  label: undefined,
  index: null,
  step: null,
  end: null,
  status: 'running',
  duration: null,
  cached: false,
  retries: 0,
  chars: null,
  sources: 0,
  confidence: null,
  fallback: null,
  code: null,
  note: null,
  search: null,
  firstText: null,
  ...given,
});

/** Puts a span in place of the one with its key, else behind the others. */
function withSpan(state: RunState, span: Span): RunState {
  const at = state.spans.findIndex(({ key }) => key === span.key);
  return { ...state, spans: at === -1 ? [...state.spans, span] : state.spans.with(at, span) };
}

function planned(state: RunState, plan: Plan & { readonly message: string }): RunState {
  const start = Math.max(0, state.now - plan.duration_ms);
  const span = spanOf({ key: 'plan', kind: 'plan', name: plan.planner, start });
  const { cached, duration_ms: duration } = plan;
  return { ...withSpan(state, { ...span, cached, duration, end: state.now, status: 'completed' }), plan };
}

function modelDone(state: RunState): RunState {
  const span = state.spans.findLast(({ kind }) => kind === 'model');
  if (span === undefined || span.end !== null) return state;
  return withSpan(state, { ...span, end: state.now, status: 'completed' });
}

/** The figures of a failed run come before its end: the model must not stay completed when its vendor failed. */
function vendorFailed(state: RunState, code: string): RunState {
  const span = state.spans.findLast(({ kind }) => kind === 'model');
  if (span === undefined || !code.startsWith('upstream_')) return state;
  return withSpan(state, { ...span, end: span.end ?? state.now, status: 'failed', code });
}

/** Tools and functions that failed although the run went on. */
export const problemsOf = ({ spans }: RunState): number =>
  spans.filter(({ kind, status }) => kind !== 'model' && status === 'failed').length;

function firstText(state: RunState): RunState {
  const span = state.spans.findLast(({ kind }) => kind === 'model');
  if (span === undefined || span.firstText !== null) return state;
  return withSpan(state, { ...span, firstText: state.now });
}

const usageOf = ({ prompt_tokens, completion_tokens, total_tokens }: Usage): Usage => ({
  prompt_tokens,
  completion_tokens,
  total_tokens,
});

/** Nothing goes on in a run that has ended: what was still at work ended with it. */
export function ended(state: RunState): RunState {
  const spans = state.spans.map((span) =>
    span.end === null ? { ...span, end: state.now, status: lastStatus(state, span) } : span,
  );
  return { ...state, spans };
}

function lastStatus({ status }: RunState, { kind }: Span): SpanStatus {
  if (status === 'completed') return 'completed';
  return status === 'failed' && kind === 'model' ? 'failed' : 'cancelled';
}
