import { Injectable, Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertScope, CallerRenewal } from '../../auth';
import type { Caller, JsonObject } from '../../kernel';
import { toAppError } from '../../platform/http';
import { type Run, type RunExecutor, type RunRecord, RunsService } from '../../runs';
import { logged } from './background.sink';
import { type ChatRequest, readChatRequest } from '../request/chat-request';
import { AnswerPipeline } from '../engine/answer-pipeline.service';
import { Backpressure } from '../completion/backpressure';
import { CompletionOpening } from '../admission/completion-opening.service';
import type { Completion } from '../completion/completion.types';

/** Wait for the database before a run starts, and the pause between two tries. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 500;

/** Queues completions as background runs, and executes them in the process that claims the run. */
@Injectable()
export class BackgroundCompletions implements RunExecutor {
  private readonly logger = new Logger('BackgroundCompletions');

  constructor(
    private readonly runs: RunsService,
    private readonly opening: CompletionOpening,
    private readonly pipeline: AnswerPipeline,
    private readonly callers: CallerRenewal,
  ) {}

  /** Checks the request like a completion route. The queued run then survives this process. @throws AppError */
  async start(caller: Caller, assistantId: number, body: unknown): Promise<RunRecord> {
    const request = requestOf(body);
    const input = await this.opening.runInput({ caller, assistant: assistantId, request });
    return this.runs.enqueue(input, body as JsonObject);
  }

  async execute(run: Run, body: JsonObject): Promise<void> {
    const completion = await this.open(run, body).catch((error: unknown) => this.refuse(run, error));
    if (completion === null) return;
    const pressure = new Backpressure();
    await logged(this.pipeline.answer(completion, pressure), completion, pressure);
  }

  /** Retries while the database is away. */
  private async open(run: Run, body: JsonObject): Promise<Completion> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await this.admit(run, body);
      } catch (error) {
        if (toAppError(error).code !== 'unavailable' || performance.now() > deadline) throw error;
        await sleep(RETRY_MS, undefined, { signal: run.signal });
      }
    }
  }

  /** Checks access again: rights may have changed since the request. */
  private async admit(run: Run, body: JsonObject): Promise<Completion> {
    const { assistant, caller: asked } = run.input;
    const caller = await this.callers.renew(asked);
    assertScope(caller, 'chat');
    return this.opening.open({ caller, assistant: assistant.id, request: requestOf(body), run });
  }

  private refuse(run: Run, error: unknown): null {
    // The worker ends it with its abort reason.
    if (run.signal.aborted) return null;
    const { code, detail } = toAppError(error);
    if (code === 'internal_error') {
      const cause = error instanceof Error ? (error.stack ?? error.message) : typeof error;
      this.logger.error({ msg: 'a background run could not begin', run_id: run.id, cause });
    }
    this.runs.finish(run, { status: 'failed', errorCode: code, message: detail });
    return null;
  }
}

/** Forces `stream`, because the run's log records the answer piece by piece. @throws AppError `validation_failed` */
const requestOf = (body: unknown): ChatRequest => ({ ...readChatRequest(body), stream: true });
