import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertScope, CallerRenewal } from '../../auth';
import type { Caller, JsonObject } from '../../kernel';
import { toAppError } from '../../platform/http';
import { type Run, type RunRecord, RunsService } from '../../runs';
import { logged } from './background.sink';
import { type ChatRequest, readChatRequest } from '../request/chat-request';
import { AnswerPipeline } from '../engine/answer-pipeline.service';
import { Backpressure } from '../completion/backpressure';
import { CompletionOpening } from '../admission/completion-opening.service';
import type { Completion } from '../completion/completion.types';

/** How long a run that has its turn waits for the database, and how often it asks. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 500;

/** Completions that nobody has to wait for: what was asked is kept with the run, and whichever process claims it carries it out. */
@Injectable()
export class BackgroundCompletions implements OnModuleInit {
  private readonly logger = new Logger('BackgroundCompletions');

  constructor(
    private readonly runs: RunsService,
    private readonly opening: CompletionOpening,
    private readonly pipeline: AnswerPipeline,
    private readonly callers: CallerRenewal,
  ) {}

  onModuleInit(): void {
    this.runs.executeBy((run, body) => this.execute(run, body));
  }

  /** Refuses what a completion door would refuse; then the run is there, whatever happens to this process. @throws AppError */
  async start(caller: Caller, assistantId: number, body: unknown): Promise<RunRecord> {
    const request = requestOf(body);
    const input = await this.opening.runInput({ caller, assistant: assistantId, request });
    return this.runs.enqueue(input, body as JsonObject);
  }

  /** However it ends, the run has ended then, and its events tell how. */
  private async execute(run: Run, body: JsonObject): Promise<void> {
    const completion = await this.open(run, body).catch((error: unknown) => this.refuse(run, error));
    if (completion === null) return;
    const pressure = new Backpressure();
    await logged(this.pipeline.answer(completion, pressure), completion, pressure);
  }

  /** A database that is away for a moment is no reason to fail. */
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

  /** Time has passed since the run was asked for, and rights with it. */
  private async admit(run: Run, body: JsonObject): Promise<Completion> {
    const { assistant, caller: asked } = run.input;
    const caller = await this.callers.renew(asked);
    assertScope(caller, 'chat');
    return this.opening.open({ caller, assistant: assistant.id, request: requestOf(body), run });
  }

  private refuse(run: Run, error: unknown): null {
    // Then it ends as what it was aborted for.
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

/** The vendor is always asked for a stream, and `stream` says so in the record. @throws AppError `validation_failed` */
const requestOf = (body: unknown): ChatRequest => ({ ...readChatRequest(body), stream: true });
