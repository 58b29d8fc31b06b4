import {
  type AppError,
  type Awaitable,
  type Caller,
  type ChatMessage,
  type Source,
  type Usage,
  isTextPart,
  textOf,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import type { Disclosure, RunnableAssistant } from '../assistants';
import { type ParentRun, type PreparedPrompt, REPORT_LIMITS, type RunOutcome, cut } from '../runs';
import { CompletionOpening } from './admission/completion-opening.service';
import { type Completion, type TellAnswer, joinedTexts } from './completion.types';
import { AnswerPipeline } from './engine/answer-pipeline.service';
import type { ChatRequest } from './chat-request';

type Shorten = (text: string) => string;

/** The messages for the model as far as `disclosure` allows. `previews` cuts results of tools as reports do. */
export function visibleMessages(prepared: PreparedPrompt, disclosure: Disclosure): readonly ChatMessage[] {
  if (disclosure === 'whole') return prepared.messages;
  if (disclosure === 'none') return [];
  const shorten = shortener(prepared);
  return prepared.messages.map((message) => shortened(message, shorten));
}

function shortener(prepared: PreparedPrompt): Shorten {
  const inPrompt = longTexts((prepared.report.prompt ?? []).filter(({ index }) => index !== undefined));
  const texts = prepared.messages.map(({ content }) => textOf(content));
  // A result that a processor changed cannot be located, so all content is cut.
  if (inPrompt.some((fetched) => !texts.some((text) => text.includes(fetched)))) return preview;
  const fetched = new Set([
    ...inPrompt,
    ...longTexts(prepared.report.results.map((result) => ({ text: result.preview }))),
  ]);
  // Longest first: a text may be part of another.
  const longestFirst = [...fetched].sort((one, other) => other.length - one.length);
  return (text) => longestFirst.reduce((rest, each) => rest.replaceAll(each, () => preview(each)), text);
}

const preview: Shorten = (text) => cut(text, REPORT_LIMITS.preview);

const longTexts = (parts: readonly { readonly text: string }[]): string[] =>
  parts.map(({ text }) => text).filter((text) => text.length > REPORT_LIMITS.preview);

function shortened(message: ChatMessage, shorten: Shorten): ChatMessage {
  const { content } = message;
  if (typeof content === 'string') return { ...message, content: shorten(content) };
  if (content === null || content === undefined) return message;
  return {
    ...message,
    content: content.map((part) => (isTextPart(part) ? { ...part, text: shorten(part.text) } : part)),
  };
}

interface CollectedAnswer {
  readonly text: string;
  /** Once each, in tool order. */
  readonly sources: readonly Source[];
  /** Sum of all model requests; null when no vendor reports usage. */
  readonly usage: Usage | null;
  readonly finishReason: string;
}

/** Collects the whole answer. @throws AppError */
async function collected(
  answer: (reader: TellAnswer) => Awaitable<void>,
  onEnded?: (record: RunOutcome) => void,
): Promise<CollectedAnswer> {
  const texts: string[] = [];
  let record: RunOutcome = { status: 'failed' };
  let failure: AppError | null = null;
  await answer((event) => {
    if (event.type === 'message') texts.push(event.answer.text);
    else if (event.type === 'report') texts.push(event.markdown);
    if (event.type !== 'finished' && event.type !== 'failed') return;
    ({ record } = event);
    if (event.type === 'failed') failure = event.error;
    onEnded?.(record);
  });
  if (failure !== null) throw failure as AppError;
  const { sources = [], usage = null, finishReason } = record;
  return { text: joinedTexts(texts), sources, usage, finishReason: finishReason ?? 'stop' };
}

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
export class HeadlessCompletions {
  constructor(
    private readonly opening: CompletionOpening,
    private readonly pipeline: AnswerPipeline,
  ) {}

  /** @throws AppError, `cancelled` once `signal` is aborted */
  async answer(input: QuietInput): Promise<QuietAnswer> {
    return this.under(input, async (completion) => {
      const answer = await collected((reader) => this.pipeline.answer(completion, reader), input.onEnded);
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
