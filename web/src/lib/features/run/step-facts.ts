import type { RunReport, StepCall, StepResult } from './report';
import type { RunState, Span } from './run-state';

export interface Message {
  readonly role: string;
  readonly content: string;
}

/** Input and result of one step of a run. Members are null where the report does not have them. */
export interface StepFacts {
  readonly query: string | null;
  readonly config: unknown;
  readonly result: StepResult | null;
  readonly call: StepCall | null;
  /** Numbers of the sources that it found. */
  readonly sources: readonly number[];
  /** Messages that a model was sent; models only. */
  readonly messages: readonly Message[];
  /** Functions that the model asked for in this request. */
  readonly asked: readonly StepCall[];
  readonly answer: string | null;
  readonly failure: RunReport['vendor_failure'] | null;
}

const NONE: StepFacts = {
  query: null,
  config: null,
  result: null,
  call: null,
  sources: [],
  messages: [],
  asked: [],
  answer: null,
  failure: null,
};

/** A key is `m` and the number of the model's request, or `f` and the number of the call. */
const numberIn = ({ key }: Span): number => Number(key.slice(1));

/** Null for a report that is gone: the events tell the rest. */
export function stepFacts(span: Span, report: RunReport | null, run: Pick<RunState, 'spans' | 'answer'>): StepFacts {
  if (report === null || span.kind === 'plan') return NONE;
  if (span.kind === 'model') return modelFacts(span, report, run);
  if (span.kind === 'function') {
    const call = report.calls?.find(({ index }) => index === numberIn(span)) ?? null;
    return { ...NONE, call, sources: call?.source_numbers ?? [] };
  }
  return span.index === null ? NONE : toolFacts(span, report);
}

function toolFacts(span: Span, report: RunReport): StepFacts {
  const ofTool = (report.results ?? []).filter(({ index }) => index === span.index);
  const result = (span.kind === 'check' ? ofTool.at(-1) : ofTool[0]) ?? null;
  const config = report.tools.find(({ index }) => index === span.index)?.config ?? null;
  const sources = result?.source_numbers ?? [];
  return { ...NONE, result, config, sources, query: result?.query ?? report.request.user_message };
}

function modelFacts(span: Span, report: RunReport, { spans, answer }: Pick<RunState, 'spans' | 'answer'>): StepFacts {
  const round = numberIn(span);
  const calls = report.calls ?? [];
  const earlier = calls.filter((call) => call.round < round);
  const results = earlier.map(({ name, preview }) => ({ role: `tool · ${name}`, content: preview }));
  const isLast = spans.findLast(({ kind }) => kind === 'model') === span;
  return {
    ...NONE,
    messages: [...report.messages, ...results],
    asked: calls.filter((call) => call.round === round),
    answer: isLast && answer !== '' ? answer : null,
    failure: isLast ? (report.vendor_failure ?? null) : null,
  };
}
