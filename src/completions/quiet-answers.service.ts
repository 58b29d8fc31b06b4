import { Injectable } from '@nestjs/common';
import type { RunnableAssistant } from '../assistants';
import type { Caller, ChatMessage, Source, Usage } from '../kernel';
import type { ParentRun } from '../runs';
import type { ChatRequest } from './chat-request';
import { CompletionEngine } from './completion-engine.service';
import { CompletionOpening } from './completion-opening.service';
import { type Completion, sourcesOf } from './completion.types';
import { QuietWriter } from './quiet-writer';

export interface QuietInput {
  readonly caller: Caller;
  readonly assistantId: number;
  /** The assistant, where somebody has decided already that it may run; without it the caller must be allowed to use it. */
  readonly assistant?: RunnableAssistant;
  readonly request: ChatRequest;
  readonly signal: AbortSignal;
  /** Set for a run inside another: it shares its budget, has no functions and reaches no assistants. */
  readonly parent?: ParentRun;
  /** Called once the run exists, before anything happens in it: for whoever wants to follow its events. Must not throw. */
  readonly onOpened?: (completion: Completion) => void;
}

export interface QuietAnswer {
  readonly text: string;
  /** Once each, in tool order. */
  readonly sources: readonly Source[];
  /** Of all model requests together; null when no vendor counted. */
  readonly usage: Usage | null;
  readonly runId: string;
  readonly finishReason: string;
}

export interface QuietPrompt {
  readonly messages: readonly ChatMessage[];
  readonly sources: readonly Source[];
  readonly runId: string;
}

const REQUESTER_GONE = 'requester_gone';

/** A completion's request that asks one question and nothing else. */
export const questionRequest = (question: string): ChatRequest => ({
  model: null,
  messages: [{ role: 'user', content: question }],
  stream: false,
  verbose: false,
  progress: 'off',
  includeUsage: false,
  params: {},
});

/** Completions without an HTTP response, for other doors and for assistants that call assistants. Each is a run with a record of its own. */
@Injectable()
export class QuietAnswers {
  constructor(
    private readonly opening: CompletionOpening,
    private readonly engine: CompletionEngine,
  ) {}

  /** The whole answer at once, whatever `request.stream` says. @throws AppError, `cancelled` once `signal` is aborted. */
  async answer(input: QuietInput): Promise<QuietAnswer> {
    return this.under(input, async (completion) => {
      const writer = new QuietWriter(completion);
      await this.engine.run(completion, writer);
      const { facts, run } = completion;
      const { usage, finishReason } = facts;
      return {
        text: writer.text,
        sources: sourcesOf(facts),
        usage,
        runId: run.id,
        finishReason: finishReason ?? 'stop',
      };
    });
  }

  /** The messages that the model would get, by the assistant's own pipeline; the model is not asked. @throws AppError */
  async prompt(input: QuietInput): Promise<QuietPrompt> {
    return this.under(input, async (completion) => {
      const { messages, sources } = await this.engine.prompt(completion);
      return { messages, sources, runId: completion.run.id };
    });
  }

  private async under<T>(input: QuietInput, work: (completion: Completion) => Promise<T>): Promise<T> {
    const { caller, assistant, assistantId, request, signal, parent } = input;
    const completion = await this.opening.open({ caller, assistant: assistant ?? assistantId, request, parent });
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
