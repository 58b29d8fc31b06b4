import { Injectable, Logger } from '@nestjs/common';
import type { RunnableAssistant } from '../assistants';
import { ClassicPipeline } from '../classic';
import { AUTO, ConnectorsService, type ResolvedModel } from '../connectors';
import { addUsage, AppError, isJsonObject, type JsonObject, textOf } from '../kernel';
import { MultiToolPipeline } from '../multi-tool';
import { toAppError } from '../platform/http';
import { type PreparedPrompt, reportMarkdown, type RunOutcome, RunsService, shapeReport } from '../runs';
import type { FunctionSet } from '../tools';
import { checkAnswer, heard } from './answer-checks';
import { AnswerImages } from './answer-images';
import { withoutFunctionChoice } from './client-tools';
import { CompletionFunctions } from './completion-functions.service';
import { type AnswerWriter, type Completion, type ModelCall, sourcesOf } from './completion.types';
import { modelId } from './model-id';
import { completeReport } from './report-calls';
import { RUN_TIMEOUT, withinRunTime } from './run-deadline';
import { CLIENT_GONE, LOG_UNAVAILABLE, SERVER_SHUTDOWN, shuttingDown } from './streams-in-flight';

/** `finish_reason` of a run that was to fill the prompt and no more. */
const PROMPT_ONLY = 'prompt';

/** Takes an opened completion from the question to the end of its answer, whoever reads it, and leaves a record however it ends. */
@Injectable()
export class CompletionEngine {
  private readonly logger = new Logger('Completions');

  constructor(
    private readonly classic: ClassicPipeline,
    private readonly multiTool: MultiToolPipeline,
    private readonly connectors: ConnectorsService,
    private readonly functions: CompletionFunctions,
    private readonly images: AnswerImages,
    private readonly runs: RunsService,
  ) {}

  /** @throws AppError for what the writer could not tell any more than the run's record could. */
  run(completion: Completion, writer: AnswerWriter): Promise<void> {
    return this.settle(
      completion,
      async () => {
        await withinRunTime(completion, async () => {
          const answer = await this.produce(completion, writer);
          if (answer !== null) await checkAnswer(completion, answer);
        });
        completion.run.signal.throwIfAborted();
      },
      writer,
    );
  }

  /** The final messages by the assistant's own pipeline; the model is not asked. @throws AppError */
  async prompt(completion: Completion): Promise<PreparedPrompt> {
    const { facts, run } = completion;
    await this.settle(completion, async () => {
      await withinRunTime(completion, async () => {
        await this.prepare(completion, await this.functions.offer(completion, null));
      });
      run.signal.throwIfAborted();
      facts.finishReason = PROMPT_ONLY;
    });
    if (facts.prepared === null) throw new Error('A prompt that is ready is nowhere');
    return facts.prepared;
  }

  private async settle(completion: Completion, work: () => Promise<void>, writer?: AnswerWriter): Promise<void> {
    try {
      await work();
      this.finish(completion, { status: 'completed' });
      writer?.end();
    } catch (error) {
      this.fail(completion, error, writer);
    } finally {
      completion.leave();
    }
  }

  /** The answer's text where something will look at it, else null. */
  private async produce(completion: Completion, writer: AnswerWriter): Promise<string | null> {
    const { assistant, facts, run } = completion;
    const resolved = completion.wantsReport ? null : await this.resolve(completion);
    const model = resolved?.model ?? assistant.document.llm ?? modelId(assistant.id);
    writer.begin(model);
    for (const { code, message } of resolved?.warnings ?? []) run.emit({ type: 'warning', code, message });
    const functions = await this.functions.offer(completion, resolved);
    const prepared = await this.prepare(completion, functions);
    if (resolved !== null) return this.answer(completion, writer, { resolved, functions, prepared });
    const report = completeReport(prepared.report, facts);
    writer.report(reportMarkdown(shapeReport(report, completion.secrets)), model);
    return null;
  }

  private async answer(
    completion: Completion,
    writer: AnswerWriter,
    { resolved, functions, prepared }: { resolved: ResolvedModel; functions: FunctionSet; prepared: PreparedPrompt },
  ): Promise<string | null> {
    const { assistant, facts, request, run } = completion;
    const { model } = resolved;
    run.emit({ type: 'llm.started', connector: resolved.connector.definition.name, model });
    const messages = fellBackToEcho(resolved, assistant) ? request.messages : prepared.messages;
    const asked = { model, messages, params: paramsOf(completion) };
    const plain = this.modelCall(resolved, completion);
    const listener = prepared.afterAnswer === undefined ? null : heard(plain);
    const call = listener?.call ?? plain;
    if (functions.isEmpty) await writer.model(call, asked);
    else await this.functions.rounds(completion, functions, asked, { writer, call });
    facts.firstTokenMs ??= performance.now() - run.startedMono;
    return listener?.text() ?? null;
  }

  private async resolve({ assistant, facts }: Completion): Promise<ResolvedModel> {
    const { connector, llm } = assistant.document;
    const resolved = await this.connectors.resolve(assistant.organizationId, { connector, llm });
    facts.connector = resolved.connector.definition.name;
    facts.model = resolved.model;
    facts.warnings.push(...resolved.warnings.map(({ message }) => message));
    return resolved;
  }

  private async prepare(completion: Completion, { declarations }: FunctionSet): Promise<PreparedPrompt> {
    const { assistant, budget, depth, facts, request, run } = completion;
    const pipeline = assistant.document.type === 'multi_tool' ? this.multiTool : this.classic;
    const { messages, params, stream } = request;
    const metadata = isJsonObject(params['metadata']) ? params['metadata'] : {};
    const { caller } = run.input;
    const { assistants } = completion;
    const functions = declarations;
    const prepared = await pipeline.prepare({
      assistant,
      caller,
      messages,
      metadata,
      run,
      stream,
      assistants,
      functions,
    });
    facts.prepared = prepared;
    facts.preparedMs = performance.now() - run.startedMono;
    facts.usage = addUsage(facts.usage, prepared.usage);
    // A run under another leaves all of its tokens to that one.
    if (depth === 0) budget.spend(prepared.usage);
    run.emit({ type: 'prompt.ready', messages: prepared.messages.length, chars: charsOf(prepared) });
    return prepared;
  }

  private modelCall({ connector, target, model }: ResolvedModel, completion: Completion): ModelCall {
    const { run } = completion;
    const context = { signal: run.signal, runId: run.id, scope: scopeOf(completion), emit: run.emit };
    const call: ModelCall = {
      model,
      complete: (request) => connector.complete(request, target, context),
      stream: (request) => connector.stream(request, target, context),
    };
    return connector.definition.capabilities.image_generation ? this.images.through(completion, call) : call;
  }

  private finish(
    { run, facts, secrets }: Completion,
    ending: Pick<RunOutcome, 'status' | 'errorCode' | 'message'>,
  ): void {
    this.runs.finish(run, {
      ...facts,
      ...ending,
      sources: sourcesOf(facts),
      report: facts.prepared === null ? null : completeReport(facts.prepared.report, facts),
      secrets,
    });
  }

  private fail(completion: Completion, error: unknown, writer?: AnswerWriter): void {
    const { run } = completion;
    if (run.abortReason === CLIENT_GONE) {
      this.finish(completion, { status: 'cancelled', errorCode: 'cancelled', message: CLIENT_GONE });
      return;
    }
    const failure = failureOf(run.abortReason, error);
    const status = failure.code === 'cancelled' ? 'cancelled' : 'failed';
    const reason = status === 'cancelled' ? run.abortReason : null;
    this.finish(completion, { status, errorCode: failure.code, message: reason ?? failure.detail });
    if (writer?.fail(failure) !== true) throw failure;
    if (failure.code === 'internal_error') this.log(run.id, error);
  }

  private log(runId: string, error: unknown): void {
    const cause = error instanceof Error ? (error.stack ?? error.message) : typeof error;
    this.logger.error({ msg: 'completion failed after its first byte', run_id: runId, cause });
  }
}

function failureOf(abortReason: string | null, error: unknown): AppError {
  if (abortReason === SERVER_SHUTDOWN) return shuttingDown();
  if (abortReason === RUN_TIMEOUT) return new AppError('tool_loop.timeout', 'The run took longer than it may');
  if (abortReason === LOG_UNAVAILABLE)
    return new AppError('unavailable', 'What the run did could not be written down any more');
  if (abortReason !== null) return new AppError('cancelled', 'The run was cancelled');
  return toAppError(error);
}

/**
 * `auto` without any vendor echoes the prompt, which is for editors' eyes: everybody else gets back what they
 * sent, so that a provider that is taken away does not publish prompts and tool contents. Who writes `bypass` means it.
 */
const fellBackToEcho = ({ provider }: ResolvedModel, { access, document }: RunnableAssistant): boolean =>
  provider === null && document.connector === AUTO && access === 'use';

/** What a model vendor's answer leaves behind is for the next request of the same person to the same assistant. */
function scopeOf({ assistant, run }: Completion): string {
  const { userId, endUser } = run.input.caller;
  return `${assistant.organizationId}/${assistant.id}/${userId}/${endUser?.id ?? ''}`;
}

/** What a client says of functions is about its own, unless the assistant has some. */
const paramsOf = ({ facts, request }: Completion): JsonObject =>
  facts.functions?.isEmpty === true ? withoutFunctionChoice(request.params) : request.params;

const charsOf = ({ messages }: PreparedPrompt): number =>
  messages.reduce(
    (sum, { content }) => sum + (typeof content === 'string' ? content.length : textOf(content).length),
    0,
  );
