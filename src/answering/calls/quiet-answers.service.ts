import { Injectable } from '@nestjs/common';
import type { RunnableAssistant } from '../../assistants';
import type { Caller, ChatMessage, Source } from '../../kernel';
import type { ParentRun, RunOutcome } from '../../runs';
import type { ChatRequest } from '../request/chat-request';
import { AnswerPipeline } from '../engine/answer-pipeline.service';
import { CompletionOpening } from '../admission/completion-opening.service';
import type { Completion } from '../completion/completion.types';
import { visibleMessages } from '../disclosure/prompt-view';
import { type CollectedAnswer, collected } from './collector.sink';

export interface QuietInput {
  readonly caller: Caller;
  readonly assistantId: number;
  /** An admitted assistant; without it the caller must be allowed to use `assistantId`. */
  readonly assistant?: RunnableAssistant;
  readonly request: ChatRequest;
  readonly signal: AbortSignal;
  /** A rule for the answer that is tried; absent for those that hold. */
  readonly instruction?: string;
  /** Set for a nested run, which shares its parent's budget and calls no functions and no assistants. */
  readonly parent?: ParentRun;
  /** Called before the run starts, so that its events can be followed. Must not throw. */
  readonly onOpened?: (completion: Completion) => void;
  /** Called with the record of the ended run. Must not throw. */
  readonly onEnded?: (record: RunOutcome) => void;
}

export interface QuietAnswer extends CollectedAnswer {
  readonly runId: string;
}

export interface QuietPrompt {
  readonly messages: readonly ChatMessage[];
  readonly sources: readonly Source[];
  readonly runId: string;
}

const REQUESTER_GONE = 'requester_gone';

/** A request with one question. */
export const questionRequest = (question: string): ChatRequest => ({
  model: null,
  messages: [{ role: 'user', content: question }],
  stream: false,
  verbose: false,
  progress: 'off',
  includeUsage: false,
  params: {},
});

/** Completions without an HTTP response, for MCP and for calls between assistants. */
@Injectable()
export class QuietAnswers {
  constructor(
    private readonly opening: CompletionOpening,
    private readonly pipeline: AnswerPipeline,
  ) {}

  /** @throws AppError, `cancelled` once `signal` is aborted */
  async answer(input: QuietInput): Promise<QuietAnswer> {
    return this.under(input, async (completion) => {
      const answer = await collected(this.pipeline.answer(completion), input.onEnded);
      return { ...answer, runId: completion.run.id };
    });
  }

  /** The visible messages for the model; asks no model. @throws AppError */
  async prompt(input: QuietInput): Promise<QuietPrompt> {
    return this.under(input, async (completion) => {
      const { prepared, sources } = await this.pipeline.prompt(completion);
      const messages = prepared === null ? [] : visibleMessages(prepared, completion.assistant.disclosure);
      return { messages, sources, runId: completion.run.id };
    });
  }

  private async under<T>(input: QuietInput, work: (completion: Completion) => Promise<T>): Promise<T> {
    const { caller, assistant, assistantId, signal, parent, instruction } = input;
    const request = { ...input.request, stream: false };
    const tried = instruction === undefined ? {} : { instruction };
    const asked = { caller, assistant: assistant ?? assistantId, request, parent, gone: () => signal, ...tried };
    const completion = await this.opening.open(asked);
    const stop = (): void => completion.run.abort(REQUESTER_GONE);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    try {
      input.onOpened?.(completion);
      return await work(completion);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}
