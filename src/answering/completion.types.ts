import type { AppError, FunctionCall, Source, SourcePassage, StampedRunEvent, Usage } from '@bellwether/kernel';
import type { RunnableAssistant } from '../assistants';
import type { ModelAnswer, ModelChunk } from '../connectors';
import type { MemoryClaim } from '../infrastructure/http';
import type { RunMeter } from '../metering';
import type { Recording, Run, RunBudget, RunOutcome, ShapedReport } from '../runs';
import type { AssistantAbility } from '../tools';
import type { ChatRequest } from './chat-request';

/** The events of an answer, in order. The last one is `finished` or `failed`. */
export type AnswerEvent =
  /** Only tools and the model can fail from here on. `model` is the vendor's model name. */
  | { readonly type: 'begun'; readonly model: string }
  /** An event of the run as the caller may see it. */
  | { readonly type: 'progress'; readonly event: StampedRunEvent }
  /** All sources so far, as the caller may see them. Repeated when a function adds sources. */
  | { readonly type: 'sources'; readonly sources: readonly Source[] }
  /** A model request of the tool loop begins. Rounds count from 1; answers without functions have none. */
  | { readonly type: 'round'; readonly round: number }
  /** One socket read of the vendor. `callsFollow`: the round ends here, and functions run next. */
  | { readonly type: 'delta'; readonly chunks: readonly ModelChunk[]; readonly callsFollow: boolean }
  /** A whole model answer, one per round, for completions without `stream`. */
  | { readonly type: 'message'; readonly answer: ModelAnswer }
  /** The round ended with these calls. */
  | { readonly type: 'tool_calls'; readonly round: number; readonly calls: readonly FunctionCall[] }
  /** The report of a verbose completion, instead of a model's answer. */
  | { readonly type: 'report'; readonly markdown: string; readonly model: string }
  /** The model's answer is complete; checks may follow. `usage` is that of the run so far. */
  | { readonly type: 'answered'; readonly usage: Usage | null }
  | { readonly type: 'finished'; readonly record: RunOutcome }
  /** `cause` is the thrown value for the log; `error` is for clients. */
  | { readonly type: 'failed'; readonly record: RunOutcome; readonly error: AppError; readonly cause: unknown };

export type AnswerEnd = Extract<AnswerEvent, { type: 'finished' | 'failed' }>;

export type TellAnswer = (event: AnswerEvent) => void;

/** A recorded run as its repetition needs it. */
export interface RecordedRun {
  readonly recording: Recording;
  /** Its prompt for readers: without the link tokens of the person who asked. */
  readonly shown: Recording['prompt'];
  readonly sources: readonly Source[];
  readonly passages: readonly SourcePassage[];
  /** Null when its prompt was filled but no report was kept. */
  readonly report: ShapedReport | null;
}

/** The texts of a model's rounds as one text. */
export const joinedTexts = (texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n\n');

/** Back-pressure from readers to the vendor: the slowest reader sets the speed. */
export class Backpressure {
  private pending: Promise<unknown> | null = null;

  /** Called by a reader whose buffer is full. */
  hold(until: Promise<unknown>): void {
    this.pending = this.pending === null ? until : Promise.all([this.pending, until]);
  }

  /** Null when no reader waits: the hot path then awaits nothing. */
  get held(): Promise<unknown> | null {
    const { pending } = this;
    this.pending = null;
    return pending;
  }
}

/** One opened completion: the question, the assistant and the run that answers it. */
export interface Completion {
  readonly run: Run;
  /** Releases permit, memory and watch at the end of the answer. */
  readonly leave: () => void;
  /** Memory of the filled prompt. */
  readonly promptMemory: MemoryClaim;
  readonly assistant: RunnableAssistant;
  readonly request: ChatRequest;
  /** The body of a definition that is not saved; null for a saved assistant. */
  readonly definition: unknown;
  /** The run that is repeated with its recorded results; null for a run that works them out. */
  readonly recorded: RecordedRun | null;
  /** A rule for the answer beside the assistant's own, as in an assessment window; null for none. */
  readonly instruction: string | null;
  /** True when the caller gets the report instead of the model's answer. */
  readonly wantsReport: boolean;
  /** Checks the caller's access between two steps. @throws AppError */
  readonly assertAllowed: () => Promise<void>;
  /** Values that must not appear in a report. */
  readonly secrets: readonly string[];
  /** 0 for a caller's question; 1 for a call by another assistant, which gets no functions and no assistants. */
  readonly depth: number;
  /** Usage and limits of this run alone; a called assistant has its own. */
  readonly meter: RunMeter;
  /** Shared with every run that this one starts. */
  readonly budget: RunBudget;
  /** Lets tools and functions call other assistants; null inside a nested run. */
  readonly assistants: AssistantAbility | null;
  /** True for callers of another organization, who get the answer without its sources. */
  readonly hidesSources: boolean;
}
