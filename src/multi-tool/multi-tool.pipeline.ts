import { addUsage, after, type Awaitable, lastQuestion, onFailure, type Usage } from '@bellwether/kernel';
import { USER_INPUT } from '@bellwether/kernel/templates';
import { Injectable } from '@nestjs/common';
import type { RunJob } from '../assistants';
import { contentByPlaceholder, type OrchestrationResult, Orchestrator, ToolsFailed } from '../orchestrators';
import {
  type AnswerChecks,
  type PreparedPrompt,
  reportMessage,
  reportPrompt,
  type RunReport,
  type SlotContent,
  Unprepared,
} from '../runs';
import { foundPassages, materialFit, reportResult, reportTool, type ToolOutcome } from '../tools';

/**
 * Multi-tool assistants: the orchestrator runs the tools and fills the template. Rejects with `tool_failed` when a tool
 * that must not fail did, and with `cancelled` when the run was aborted.
 */
@Injectable()
export class MultiToolPipeline {
  constructor(private readonly orchestrator: Orchestrator) {}

  prepare(job: RunJob): Awaitable<PreparedPrompt> {
    const { assistant, assistants, caller, messages, metadata, run } = job;
    const { document, compiled } = assistant;
    const { pipeline } = compiled;
    if (pipeline === null) throw new Error('A classic assistant has no pipeline of tools');
    const orchestrated = onFailure(
      () =>
        this.orchestrator.orchestrate({
          pipeline,
          systemPrompt: document.systemPrompt,
          messages,
          vision: document.capabilities.vision,
          owner: assistant.owner,
          caller,
          assistantId: assistant.id,
          assistantVersion: assistant.version,
          metadata,
          params: job.params,
          connector: document.connector,
          runId: run.id,
          assistants,
          signal: run.signal,
          emit: run.emit,
        }),
      (error) => {
        throw error instanceof ToolsFailed
          ? new Unprepared(error, failureReportOf(job, error, pipeline.strategy))
          : error;
      },
    );
    return after(orchestrated, (result) => preparedBy(job, result));
  }
}

function preparedBy(job: RunJob, result: OrchestrationResult): PreparedPrompt {
  const { messages, sources, usage, afterAnswer } = result;
  return {
    messages,
    sources,
    passages: foundPassages(result.inPrompt),
    report: reportOf(job, result),
    ...(result.outcomes.length === 0 ? {} : { fit: materialFit(result.outcomes) }),
    usage,
    ...(afterAnswer === null ? {} : { afterAnswer: async (answer) => checksOf(await afterAnswer(answer)) }),
  };
}

const checksOf = (outcomes: readonly ToolOutcome[]): AnswerChecks => ({
  results: outcomes.map(reportResult),
  usage: outcomes.reduce<Usage | null>((all, each) => ('usage' in each ? addUsage(all, each.usage) : all), null),
});

/** Report of a run that ended before its prompt: the tools and what each of them did. */
const failureReportOf = (job: RunJob, { outcomes }: ToolsFailed, strategy: string): RunReport => {
  const nothing = { inPrompt: [], messages: [], sources: [], warnings: [], usage: null, afterAnswer: null };
  const { prompt: _, ...report } = reportOf(job, { ...nothing, strategy, outcomes });
  return report;
};

function reportOf({ assistant, messages, stream }: RunJob, result: OrchestrationResult): RunReport {
  const {
    id,
    name,
    document,
    compiled: { template },
  } = assistant;
  const question = lastQuestion(messages);
  return {
    created_at: new Date().toISOString(),
    orchestrator: result.strategy,
    assistant: { id, name, type: 'multi_tool' },
    request: { user_message: question, stream },
    tools: document.pipeline.map(reportTool),
    results: result.outcomes.map(reportResult),
    sources: result.sources,
    messages: result.messages.map(reportMessage),
    ...(template.source === '' ? {} : { prompt: reportPrompt(template.segments, slotContents(question, result)) }),
    warnings: result.warnings.map(({ message }) => message),
    ...(result.stages === undefined ? {} : { stages: result.stages }),
    ...(result.plan === undefined ? {} : { plan: result.plan }),
  };
}

/** The contents of the template's slots, for the report. */
function slotContents(question: string, { outcomes }: OrchestrationResult): (slot: string) => SlotContent {
  const contents = contentByPlaceholder(outcomes);
  const tools = new Map(outcomes.map(({ placeholder, index }) => [placeholder, index]));
  return (slot) => {
    if (slot === USER_INPUT) return { text: question };
    const index = tools.get(slot);
    return { text: contents.get(slot) ?? '', ...(index === undefined ? {} : { index }) };
  };
}
