import {
  AppError,
  type Caller,
  type ErrorCode,
  type JsonObject,
  type Problem,
  invalid,
  isAssistantId,
  isJsonObject,
} from '@bellwether/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { DraftAssistants, type DraftInput } from '../assistants';
import { CallerRenewal, assertScope } from '../auth';
import { toAppError } from '../infrastructure/http';
import { type Run, type RunExecutor, type RunRecord, type RunReplay, RunsService, type WithQueuedRun } from '../runs';
import { CompletionOpening } from './admission/completion-opening.service';
import { Backpressure, type Completion, type RecordedRun, type TellAnswer } from './completion.types';
import { logBrokenAnswer } from './engine/answer-failure';
import { AnswerPipeline } from './engine/answer-pipeline.service';
import { type ChatRequest, readChatRequest } from './chat-request';

/** Between the texts of two rounds. */
const BREAK = '\n\n';

/** Writes the answer to the log of a background run, with back-pressure from the database. */
export function answerLog({ run }: Pick<Completion, 'run'>, pressure: Backpressure): TellAnswer {
  let lead = '';
  let hasText = false;
  const tell = (text: string): void => {
    if (text === '') return;
    run.emit({ type: 'llm.delta', text: lead + text });
    lead = '';
    hasText = true;
  };
  return (event) => {
    if (event.type === 'round') lead = hasText ? BREAK : '';
    else if (event.type === 'report') tell(event.markdown);
    else if (event.type === 'failed') logBrokenAnswer(run.id, event.error, event.cause);
    if (event.type !== 'delta') return;
    for (const { text } of event.chunks) tell(text);
    const drained = run.drained();
    if (drained !== undefined) pressure.hold(drained);
  };
}

interface DraftRequest {
  readonly draft: DraftInput;
  /** The rest of the body: that of a completion. */
  readonly chat: JsonObject;
}

/** `{definition, assistant_id?, messages, …}`. @throws `validation_failed` with every problem */
function readDraftRequest(body: unknown): DraftRequest {
  const { definition, assistant_id: assistantId = null, ...chat }: JsonObject = isJsonObject(body) ? body : {};
  const problems: Problem[] = [];
  if (!isJsonObject(definition)) problems.push({ path: 'definition', message: 'must be an object' });
  if (assistantId !== null && !isAssistantId(assistantId))
    problems.push({ path: 'assistant_id', message: 'must be the id of an assistant' });
  try {
    readChatRequest(chat);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw invalid([...problems, ...error.problems], error.detail);
  }
  if (problems.length > 0 || (assistantId !== null && !isAssistantId(assistantId))) throw invalid(problems);
  return { draft: { assistantId, definition }, chat };
}

/** Moves the paths of a refused definition to its place in the body. @throws the error with these paths */
function inDefinition(error: unknown): never {
  if (!(error instanceof AppError) || error.problems.length === 0) throw error;
  const problems = error.problems.map(({ path, ...problem }) => ({
    ...problem,
    path: path === '' ? 'definition' : `definition.${path}`,
  }));
  throw new AppError(error.code, error.detail, { problems });
}

/** Waits before a run starts, in milliseconds: for the database, and for a place or the next minute of a limit. */
const PATIENCE: Partial<Record<ErrorCode, number>> = { unavailable: 10_000, rate_limited: 120_000 };
/** The pause between two tries. */
const RETRY_MS = 500;

/** The parts of a run that its repetition takes over. */
export interface ReplayMaterial {
  /** Null when the tools run again. */
  readonly recorded: RecordedRun | null;
  readonly instruction: string | null;
}

export interface ReplayRequest {
  readonly run: RunReplay;
  readonly assistantId: number | null;
  readonly definition: JsonObject;
  /** Body of a completion. */
  readonly chat: JsonObject;
  readonly replay: ReplayMaterial;
}

/** Surroundings in which a question is asked. */
export interface AskedIn {
  /** The activity of its conversation. */
  readonly activityId?: string | null;
  /** Writes in the transaction that queues the run. */
  readonly also?: WithQueuedRun;
}

/** Queues completions as background runs, and executes them in the process that claims the run. */
@Injectable()
export class BackgroundCompletions implements RunExecutor {
  private readonly logger = new Logger('BackgroundCompletions');

  constructor(
    private readonly runs: RunsService,
    private readonly opening: CompletionOpening,
    private readonly pipeline: AnswerPipeline,
    private readonly callers: CallerRenewal,
    private readonly drafts: DraftAssistants,
  ) {}

  /**
   * Checks the request like a completion route. The queued run then survives this process. @throws AppError
   */
  async start(caller: Caller, assistantId: number, body: unknown, asked: AskedIn = {}): Promise<RunRecord> {
    const request = requestOf(body);
    const { activityId = null, also } = asked;
    const input = await this.opening.runInput({ caller, assistant: assistantId, request, activityId });
    return this.runs.enqueue(input, body as JsonObject, also);
  }

  /** Runs a definition that is not saved. @throws AppError as `start`, and as a save of the definition */
  async startDraft(caller: Caller, body: unknown, also?: WithQueuedRun): Promise<RunRecord> {
    const { draft, chat } = readDraftRequest(body);
    const assistant = await this.drafts.runnable(caller, draft).catch(inDefinition);
    const input = await this.opening.runInput({ caller, assistant, request: requestOf(chat) });
    return this.runs.enqueue(input, body as JsonObject, also);
  }

  /** Repeats a run with a definition. @throws AppError as `startDraft` */
  async startReplay(
    caller: Caller,
    { run, definition, assistantId, chat, replay }: ReplayRequest,
    also?: WithQueuedRun,
  ): Promise<RunRecord> {
    const assistant = await this.drafts.runnable(caller, { assistantId, definition }).catch(inDefinition);
    const asked = { caller, assistant, request: requestOf(chat), replay: { run, ...replay } };
    const input = await this.opening.runInput(asked);
    const of = assistantId === null ? {} : { assistant_id: assistantId };
    return this.runs.enqueue(input, { ...chat, definition, ...of, replay }, also);
  }

  async execute(run: Run, body: JsonObject): Promise<void> {
    const completion = await this.open(run, body).catch((error: unknown) => this.refuse(run, error));
    if (completion === null) return;
    const pressure = new Backpressure();
    await this.pipeline.answer(completion, answerLog(completion, pressure), pressure);
  }

  /** Retries while the database is away, or a limit has no place. */
  private async open(run: Run, body: JsonObject): Promise<Completion> {
    const began = performance.now();
    for (;;) {
      try {
        return await this.admit(run, body);
      } catch (error) {
        const patienceMs = PATIENCE[toAppError(error).code] ?? 0;
        if (performance.now() - began >= patienceMs) throw error;
        await sleep(RETRY_MS, undefined, { signal: run.signal });
      }
    }
  }

  /** Checks access again: rights may have changed since the request. */
  private async admit(run: Run, body: JsonObject): Promise<Completion> {
    const { assistant, caller: asked, draft: isDraft, activityId = null } = run.input;
    const caller = await this.callers.renew(asked);
    assertScope(caller, 'chat');
    if (isDraft !== true)
      return this.opening.open({ caller, assistant: assistant.id, request: requestOf(body), run, activityId });
    const { replay, ...rest } = body as JsonObject & { readonly replay?: ReplayMaterial };
    const { draft, chat } = readDraftRequest(rest);
    const runnable = await this.drafts.runnable(caller, draft);
    const { definition } = draft;
    return this.opening.open({
      ...{ caller, assistant: runnable, request: requestOf(chat), run, definition },
      ...repeated(run, replay),
    });
  }

  private refuse(run: Run, error: unknown): null {
    // The worker ends it with its abort reason.
    if (run.signal.aborted) return null;
    const { code, detail } = toAppError(error);
    if (code === 'internal_error') {
      const cause = error instanceof Error ? (error.stack ?? error.message) : typeof error;
      this.logger.error({ msg: 'a background run could not begin', run_id: run.id, cause });
    } else {
      this.logger.log({ msg: 'background run refused', run_id: run.id, code });
    }
    this.runs.finish(run, { status: 'failed', errorCode: code, message: detail });
    return null;
  }
}

function repeated({ input }: Run, replay: ReplayMaterial | undefined) {
  if (input.replay === undefined || replay === undefined) return {};
  const { recorded, instruction } = replay;
  return {
    replay: { run: input.replay, recorded },
    // Else the rules of courses decide, as for any question.
    ...(instruction === null ? {} : { instruction }),
  };
}

/** Forces `stream`, because the run's log records the answer piece by piece. @throws AppError `validation_failed` */
const requestOf = (body: unknown): ChatRequest => ({ ...readChatRequest(body), stream: true });
