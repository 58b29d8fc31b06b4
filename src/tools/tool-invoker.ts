import { Inject, Injectable, Logger } from '@nestjs/common';
import type { JsonObject, Principal, ToolRef } from '../kernel';
import { CONFIG, type Config } from '../platform/config';
import { cleanText, cutText } from './clean-text';
import {
  type Invocation,
  type PipelineTool,
  type Tool,
  type ToolContext,
  ToolFailure,
  type ToolInput,
  type ToolOutcome,
} from './contract';
import { withinDeadline } from './deadline';
import { describeFailure, traceOf } from './describe-failure';
import { type CheckedOutput, readOutput } from './read-output';
import { ToolCatalogue } from './tool-catalogue';
import { failedText, targetOf } from './tool-texts';

/** UTF-16 units of one tool's content that reach the prompt, unless the tool says otherwise. */
export const OUTPUT_LIMIT = 50_000;
const PROGRESS_CHARS = 200;

/** The part of a tool that runs: what the catalogue holds, and what classic's RAG processors are. */
export type RunnableTool = Pick<Tool, 'run' | 'outputLimit' | 'timeoutMs'>;

/**
 * The one place that calls tools. Whatever happens in there ends as exactly one outcome, told by `tool.started` and then
 * `tool.completed` or `tool.failed`; nothing is thrown past here.
 */
@Injectable()
export class ToolInvoker {
  private readonly logger = new Logger(ToolInvoker.name);

  constructor(
    private readonly catalogue: ToolCatalogue,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Calls a tool of the catalogue with the entry's config, checked against its schema and filled with its defaults. */
  invoke(entry: PipelineTool, input: ToolInput, invocation: Invocation): Promise<ToolOutcome> {
    return this.settle(entry, input, invocation, () => {
      const tool = this.catalogue.find(entry.plugin);
      if (tool === undefined) throw new ToolFailure('tool.unknown', `there is no tool named ${entry.plugin}`);
      const { config, problems } = this.catalogue.prepare(tool, entry.config);
      const [problem] = problems;
      if (problem !== undefined)
        throw new ToolFailure('tool.config_invalid', `${problem.path} ${problem.message}`.trim());
      return { tool, config };
    });
  }

  /** Calls a tool that is not in the catalogue; `entry.config` is taken as it is. */
  run(tool: RunnableTool, entry: PipelineTool, input: ToolInput, invocation: Invocation): Promise<ToolOutcome> {
    return this.settle(entry, input, invocation, () => ({ tool, config: entry.config }));
  }

  private async settle(
    entry: PipelineTool,
    input: ToolInput,
    invocation: Invocation,
    resolve: () => { tool: RunnableTool; config: JsonObject },
  ): Promise<ToolOutcome> {
    const { index, plugin, placeholder } = entry;
    const { emit, texts } = invocation;
    const context = new CallContext({ index, plugin, placeholder }, invocation);
    const startedAt = performance.now();
    const elapsed = (): number => Math.round((performance.now() - startedAt) * 100) / 100;
    emit({ type: 'tool.started', index, plugin, placeholder, message: texts.started(targetOf(entry)) });
    try {
      const { tool, config } = resolve();
      const output = await this.attempt(tool, config, entry, input, context);
      const { length: chars } = output.content;
      const shared = { chars, confidence: output.confidence, cached: false, retries: 0, duration_ms: elapsed() };
      const message = texts.completed(entry, chars);
      const sources = output.sources.length;
      emit({ type: 'tool.completed', index, plugin, placeholder, sources, message, ...shared });
      return { index, plugin, placeholder, status: 'completed', ...shared, ...output };
    } catch (error) {
      const { code, message, unexpected } = describeFailure(error);
      if (unexpected) this.logger.warn(`run ${invocation.runId} tool ${index} ${plugin}: ${traceOf(error)}`);
      emit({ type: 'tool.failed', index, plugin, placeholder, code, message: failedText(plugin, message) });
      return { index, plugin, placeholder, status: 'failed', code, message, duration_ms: elapsed() };
    } finally {
      context.close();
    }
  }

  /** One call under one deadline. Retries and the result cache wrap this. */
  private async attempt(
    tool: RunnableTool,
    config: JsonObject,
    entry: PipelineTool,
    input: ToolInput,
    context: CallContext,
  ): Promise<CheckedOutput> {
    const timeoutMs = entry.timeout_ms ?? tool.timeoutMs ?? this.config.tools.defaultTimeoutMs;
    const raw = await withinDeadline(
      (controller) => {
        context.controller = controller;
        return tool.run(config, input, context);
      },
      { timeoutMs, scope: context.scope },
    );
    return readOutput(raw, tool.outputLimit?.(config) ?? OUTPUT_LIMIT);
  }
}

/** What one call sees. The prompt and the results are built only for tools that look at them. */
class CallContext implements ToolContext {
  controller = new AbortController();
  readonly scope: Invocation['scope'];
  readonly owner: Principal;
  readonly caller: ToolContext['caller'];
  readonly assistantId: number;
  readonly connector: string;
  readonly runId: string;
  private open = true;

  constructor(
    private readonly ref: ToolRef,
    private readonly invocation: Invocation,
  ) {
    this.scope = invocation.scope;
    this.owner = invocation.owner;
    this.caller = invocation.caller;
    this.assistantId = invocation.assistantId;
    this.connector = invocation.connector;
    this.runId = invocation.runId;
  }

  get answer(): string | null {
    return this.invocation.answer ?? null;
  }

  get assistants(): ToolContext['assistants'] {
    return this.invocation.assistants ?? null;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get prompt(): string {
    return this.invocation.prompt();
  }

  get results(): ReadonlyMap<string, ToolOutcome> {
    return this.invocation.results();
  }

  /** Bound, so that a tool may hand it on; silent once the call has settled. */
  readonly progress = (message: string): void => {
    if (!this.open || typeof message !== 'string') return;
    const line = cleanText(cutText(message, PROGRESS_CHARS)).replaceAll(/[\r\n]+/g, ' ');
    this.invocation.emit({ type: 'tool.progress', ...this.ref, message: line });
  };

  close(): void {
    this.open = false;
  }
}
