import {
  AppError,
  type Awaitable,
  type ChatMessage,
  after,
  isJsonObject,
  lastQuestion,
  onFailure,
  settle,
  textOf,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { ClassicPipeline } from '../../classic';
import { MultiToolPipeline } from '../../multi-tool';
import { type PreparedPrompt, type RunReport, Unprepared, reportMessage } from '../../runs';
import type { FunctionSet, PipelineTool } from '../../tools';
import type { Completion, RecordedRun } from '../completion.types';
import type { AnswerRecordBuilder } from './answer-record-builder';
import { GroundedAnswers } from './grounded-answers.service';
import { withInstruction } from './model-requests';

/** Abort reason of a run that exceeds its time limit. */
export const RUN_TIMEOUT = 'run_timeout';

/** Name of the tool that asks another assistant. */
const ASSISTANT_TOOL = 'assistant';

/**
 * Aborts the run when its time is over before `work` ends. Runs with functions or called assistants have a deadline, and
 * so do background runs, which no leaving client ends. Nested runs share the deadline of their parent.
 */
export function withinRunTime<T>(completion: Completion, work: () => Awaitable<T>): Awaitable<T> {
  if (!hasDeadline(completion)) return work();
  const { run, budget } = completion;
  const timer = setTimeout(() => run.abort(RUN_TIMEOUT), budget.remainingMs);
  return settle(
    work,
    (value) => {
      clearTimeout(timer);
      return value;
    },
    (error) => {
      clearTimeout(timer);
      throw error;
    },
  );
}

const hasDeadline = ({ depth, run, assistant: { document } }: Completion): boolean =>
  depth === 0 && (run.background || document.functions.length > 0 || document.pipeline.some(asksAnAssistant));

const asksAnAssistant = ({ enabled, plugin, fallback }: PipelineTool): boolean =>
  enabled && (plugin === ASSISTANT_TOOL || fallback?.plugin === ASSISTANT_TOOL);

const NOTE = 'The prompt is that of the recorded run: no tool was asked.';

/** The recorded messages, unchanged. The answer is not checked: a check is a tool. */
export function recordedPrompt(completion: Completion, recorded: RecordedRun): PreparedPrompt {
  const { recording, sources, passages } = recorded;
  const messages = recording.prompt;
  return { messages, sources, passages, report: reportOf(completion, recorded), usage: null };
}

function reportOf({ assistant, request, run }: Completion, { shown, report, sources }: RecordedRun): RunReport {
  const { id, name, document } = assistant;
  const told: RunReport = report ?? {
    created_at: '',
    orchestrator: run.input.strategy,
    assistant: { id, name, type: document.type },
    request: { user_message: lastQuestion(request.messages), stream: request.stream },
    tools: [],
    results: [],
    sources,
    messages: [],
    warnings: [],
  };
  const { calls: _calls, functions: _functions, vendor_failure: _failure, ...rest } = told;
  const fresh = { created_at: new Date().toISOString(), messages: shown.map(reportMessage) };
  return { ...rest, ...fresh, sources, warnings: [...told.warnings, NOTE] };
}

/** Runs the assistant's own pipeline: from the question to the final messages. */
@Injectable()
export class PromptPreparation {
  constructor(
    private readonly classic: ClassicPipeline,
    private readonly multiTool: MultiToolPipeline,
    private readonly material: GroundedAnswers,
  ) {}

  /** @throws AppError */
  prepare(completion: Completion, builder: AnswerRecordBuilder, functions: FunctionSet): Awaitable<PreparedPrompt> {
    const { recorded, request, run } = completion;
    const preparing =
      recorded === null ? this.worked(completion, builder, functions) : recordedPrompt(completion, recorded);
    return after(preparing, (prepared) => {
      builder.spend(prepared.usage);
      const chars = charsOf(prepared.messages);
      completion.promptMemory.take(2 * Math.max(0, chars - charsOf(request.messages)));
      builder.ready(prepared);
      run.emit({ type: 'prompt.ready', messages: prepared.messages.length, chars });
      return prepared;
    });
  }

  private worked(
    completion: Completion,
    builder: AnswerRecordBuilder,
    functions: FunctionSet,
  ): Awaitable<PreparedPrompt> {
    const { assistant, assistants, request, run } = completion;
    const { messages, params, stream } = request;
    const pipeline = assistant.document.type === 'multi_tool' ? this.multiTool : this.classic;
    const metadata = isJsonObject(params['metadata']) ? params['metadata'] : {};
    const { caller } = run.input;
    const { declarations } = functions;
    const job = { assistant, caller, messages, metadata, params, run, stream, assistants, functions: declarations };
    const filled = onFailure(
      () => pipeline.prepare(job),
      (error) => {
        if (error instanceof AppError) builder.spend(error.usage);
        if (error instanceof Unprepared) builder.failedEarly(error.report);
        throw error;
      },
    );
    const instructed = after(filled, (prompt) => this.material.instructed(completion, prompt));
    const { instruction } = completion;
    if (instruction === null) return instructed;
    return after(instructed, (prompt) => ({ ...prompt, messages: withInstruction(prompt.messages, instruction) }));
  }
}

const charsOf = (messages: readonly ChatMessage[]): number =>
  messages.reduce(
    (sum, { content }) => sum + (typeof content === 'string' ? content.length : textOf(content).length),
    0,
  );
