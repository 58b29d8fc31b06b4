import { Injectable } from '@nestjs/common';
import type { RunJob } from '../assistants';
import { lastUserIndex, textOf } from '../kernel';
import { type OrchestrationResult, Orchestrator } from '../orchestrators';
import { type PreparedPrompt, reportMessage, type RunReport } from '../runs';
import { reportResult, reportTool } from '../tools';

/**
 * Multi-tool assistants: the orchestrator runs the tools and fills the template. Rejects with `tool_failed` when a tool
 * that must not fail did, and with `cancelled` when the run was aborted.
 */
@Injectable()
export class MultiToolPipeline {
  constructor(private readonly orchestrator: Orchestrator) {}

  async prepare(job: RunJob): Promise<PreparedPrompt> {
    const { assistant, assistants, caller, messages, metadata, run } = job;
    const { document, compiled } = assistant;
    const result = await this.orchestrator.orchestrate({
      strategy: document.orchestrator,
      tools: document.pipeline,
      template: compiled,
      systemPrompt: document.systemPrompt,
      messages,
      vision: document.capabilities.vision,
      owner: assistant.owner,
      caller,
      assistantId: assistant.id,
      assistantVersion: assistant.version,
      options: document.orchestratorOptions,
      metadata,
      connector: document.connector,
      runId: run.id,
      assistants,
      signal: run.signal,
      emit: run.emit,
    });
    return { messages: result.messages, sources: result.sources, report: reportOf(job, result) };
  }
}

function reportOf({ assistant, messages, stream }: RunJob, result: OrchestrationResult): RunReport {
  const { id, name, document } = assistant;
  return {
    created_at: new Date().toISOString(),
    orchestrator: result.strategy,
    assistant: { id, name, type: 'multi_tool' },
    request: { user_message: textOf(messages[lastUserIndex(messages)]?.content), stream },
    tools: document.pipeline.map(reportTool),
    results: result.outcomes.map(reportResult),
    sources: result.sources,
    messages: result.messages.map(reportMessage),
    warnings: result.warnings.map(({ message }) => message),
  };
}
