import type { RunnableAssistant } from '../../assistants';
import type { RunMeter } from '../../metering';
import type { MemoryClaim } from '../../infrastructure/http';
import type { Run, RunBudget } from '../../runs';
import type { AssistantAbility } from '../../tools';
import type { RecordedRun } from './recorded-run.types';
import type { ChatRequest } from '../request/chat-request';

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
