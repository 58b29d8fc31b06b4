import { Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import type { RunnableAssistant } from '../assistants';
import { ClassicPipeline } from '../classic';
import { AUTO, ConnectorsService, type ResolvedModel } from '../connectors';
import { AppError, type Caller, textOf } from '../kernel';
import { MultiToolPipeline } from '../multi-tool';
import { toAppError } from '../platform/http';
import {
  type PreparedPrompt,
  reportMarkdown,
  type RunReport,
  type RunOutcome,
  RunsService,
  shapeReport,
} from '../runs';
import type { ChatRequest } from './chat-request';
import { CompletionOpening } from './completion-opening.service';
import type { AnswerWriter, Completion, ModelCall } from './completion.types';
import { JsonWriter } from './json-writer';
import { modelId } from './model-id';
import { StreamWriter } from './stream-writer';
import { CLIENT_GONE, SERVER_SHUTDOWN, shuttingDown } from './streams-in-flight';

/** Answers one completion from the caller's question to the last byte, and leaves a record however it ends. */
@Injectable()
export class CompletionsService {
  private readonly logger = new Logger('Completions');

  constructor(
    private readonly opening: CompletionOpening,
    private readonly classic: ClassicPipeline,
    private readonly multiTool: MultiToolPipeline,
    private readonly connectors: ConnectorsService,
    private readonly runs: RunsService,
  ) {}

  /** Writes the answer. Rejects only while a status can still be sent. */
  async answer(caller: Caller, assistantId: number, request: ChatRequest, response: Response): Promise<void> {
    const completion = await this.opening.open(caller, assistantId, request);
    const { run } = completion;
    response.setHeader('X-Run-Id', run.id);
    abortWhenGone(response, completion);
    const writer = request.stream ? new StreamWriter(response, completion) : new JsonWriter(response, completion);
    try {
      await this.produce(completion, writer);
      run.signal.throwIfAborted();
      this.finish(completion, { status: 'completed' });
      writer.end();
    } catch (error) {
      this.fail(completion, writer, error);
    } finally {
      completion.leave();
    }
  }

  private async produce(completion: Completion, writer: AnswerWriter): Promise<void> {
    const { assistant, facts, request, run } = completion;
    const resolved = completion.wantsReport ? null : await this.resolve(completion);
    const model = resolved?.model ?? assistant.document.llm ?? modelId(assistant.id);
    writer.begin(model);
    for (const { code, message } of resolved?.warnings ?? []) run.emit({ type: 'warning', code, message });
    const prepared = await this.prepare(completion);
    if (resolved === null) {
      writer.report(reportMarkdown(shapeReport(prepared.report, completion.secrets)), model);
      return;
    }
    run.emit({ type: 'llm.started', connector: resolved.connector.definition.name, model });
    await writer.model(modelCall(resolved, completion), {
      model: resolved.model,
      messages: fellBackToEcho(resolved, assistant) ? request.messages : prepared.messages,
      params: request.params,
    });
    facts.firstTokenMs ??= performance.now() - run.startedMono;
  }

  private async resolve({ assistant, facts }: Completion): Promise<ResolvedModel> {
    const { connector, llm } = assistant.document;
    const resolved = await this.connectors.resolve(assistant.organizationId, { connector, llm });
    facts.connector = resolved.connector.definition.name;
    facts.model = resolved.model;
    facts.warnings.push(...resolved.warnings.map(({ message }) => message));
    return resolved;
  }

  private async prepare({ assistant, facts, request, run }: Completion): Promise<PreparedPrompt> {
    const pipeline = assistant.document.type === 'multi_tool' ? this.multiTool : this.classic;
    const { messages, stream } = request;
    const prepared = await pipeline.prepare({ assistant, caller: run.input.caller, messages, run, stream });
    facts.prepared = prepared;
    facts.preparedMs = performance.now() - run.startedMono;
    run.emit({ type: 'prompt.ready', messages: prepared.messages.length, chars: charsOf(prepared) });
    return prepared;
  }

  private finish(
    { run, facts, secrets }: Completion,
    ending: Pick<RunOutcome, 'status' | 'errorCode' | 'message'>,
  ): void {
    this.runs.finish(run, {
      ...facts,
      ...ending,
      sources: facts.prepared?.sources ?? [],
      report: facts.prepared === null ? null : withWarnings(facts.prepared.report, facts.warnings),
      secrets,
    });
  }

  private fail(completion: Completion, writer: AnswerWriter, error: unknown): void {
    const { run } = completion;
    if (run.abortReason === CLIENT_GONE) {
      this.finish(completion, { status: 'cancelled', errorCode: 'cancelled', message: CLIENT_GONE });
      return;
    }
    const failure = failureOf(run.abortReason, error);
    const status = failure.code === 'cancelled' ? 'cancelled' : 'failed';
    this.finish(completion, { status, errorCode: failure.code, message: failure.detail });
    if (!writer.fail(failure)) throw failure;
    if (failure.code === 'internal_error') this.log(run.id, error);
  }

  private log(runId: string, error: unknown): void {
    const cause = error instanceof Error ? (error.stack ?? error.message) : typeof error;
    this.logger.error({ msg: 'completion failed after its first byte', run_id: runId, cause });
  }
}

/** Listens on the response: the request of a parsed POST closes at once, whether the client stays or not. */
function abortWhenGone(response: Response, { run }: Completion): void {
  const gone = (): void => {
    if (!response.writableFinished) run.abort(CLIENT_GONE);
  };
  if (response.closed || response.destroyed) gone();
  else response.once('close', gone);
}

function failureOf(abortReason: string | null, error: unknown): AppError {
  if (abortReason === SERVER_SHUTDOWN) return shuttingDown();
  if (abortReason !== null) return new AppError('cancelled', 'The run was cancelled');
  return toAppError(error);
}

function modelCall({ connector, target, model }: ResolvedModel, { run }: Completion): ModelCall {
  const context = { signal: run.signal, runId: run.id, emit: run.emit };
  return {
    model,
    complete: (request) => connector.complete(request, target, context),
    stream: (request) => connector.stream(request, target, context),
  };
}

/**
 * `auto` without any vendor echoes the prompt, which is for editors' eyes: everybody else gets back what they
 * sent, so that a provider that is taken away does not publish prompts and tool contents. Who writes `bypass` means it.
 */
const fellBackToEcho = ({ provider }: ResolvedModel, { access, document }: RunnableAssistant): boolean =>
  provider === null && document.connector === AUTO && access === 'use';

const charsOf = ({ messages }: PreparedPrompt): number =>
  messages.reduce(
    (sum, { content }) => sum + (typeof content === 'string' ? content.length : textOf(content).length),
    0,
  );

const withWarnings = (report: RunReport, warnings: readonly string[]): RunReport =>
  warnings.length === 0 ? report : { ...report, warnings: [...report.warnings, ...warnings] };
