import {
  AppError,
  type Awaitable,
  type Caller,
  type JsonObject,
  type Source,
  type Usage,
  after,
  isJsonObject,
  onFailure,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import {
  type AnswerEvent,
  AnswerPipeline,
  Backpressure,
  CLIENT_GONE,
  type ChatRequest,
  type Completion,
  CompletionOpening,
  callerOf,
  joinedTexts,
  logBrokenAnswer,
  modelNotFound,
  readChatRequestWithModel,
  toldEvent,
} from '../answering';
import { type BellwetherRequest, clientAbortSignal, onceClientLeaves, toAppError } from '../infrastructure/http';
import { SseStream } from '../infrastructure/sse';
import { LimitReached, type RateLimit } from '../metering';
import { AssistantModels } from './assistant-models.service';
import { StreamFrames, ownIdentity, reportBody, withoutThoughts } from './stream-frames';

/**
 * LAMB also takes `prompt`, or `params.prompt`, in place of `messages`: a text, or several that are joined by blanks. A body
 * with `messages` stays as it is.
 */
export function withMessages(body: unknown): unknown {
  if (!isJsonObject(body) || body['messages'] !== undefined) return body;
  const { prompt, params, ...rest } = body;
  const own = textOf(prompt);
  const nested = own === null && isJsonObject(params) ? textOf(params['prompt']) : null;
  const content = own ?? nested;
  if (content === null) return body;
  const others = nested === null && params !== undefined ? { params } : {};
  return { ...rest, ...others, messages: [{ role: 'user', content }] };
}

function textOf(prompt: unknown): string | null {
  if (typeof prompt === 'string') return prompt;
  const isTexts = Array.isArray(prompt) && prompt.length > 0 && prompt.every((each) => typeof each === 'string');
  return isTexts ? prompt.join(' ') : null;
}

/** Sends an answer as OpenAI's event stream with progress. */
class StreamedBody {
  /** The failure of an answer that had not begun. */
  failure: AppError | null = null;
  readonly pressure = new Backpressure();
  private readonly stream: SseStream;
  private readonly frames: StreamFrames;
  private isOver = false;

  constructor(
    private readonly completion: Completion,
    response: Response,
  ) {
    this.stream = new SseStream(response);
    this.frames = new StreamFrames(completion);
    onceClientLeaves(response, () => this.leave());
    if (completion.request.progress !== 'off')
      completion.run.follow((event) => this.take({ type: 'progress', event: toldEvent(completion, event) }));
  }

  readonly take = (event: AnswerEvent): void => {
    if (this.isOver) return;
    try {
      this.send(event);
    } catch (cause) {
      const error = toAppError(cause);
      this.completion.run.abort(error.code);
      this.send({ type: 'failed', record: { status: 'failed' }, error, cause });
    }
  };

  private send(event: AnswerEvent): void {
    const { stream } = this;
    const text = this.frames.of(event);
    if (event.type === 'begun') stream.open();
    else if (event.type === 'finished') this.end(text);
    else if (event.type === 'failed') this.fail(event, text);
    else if (event.type === 'progress') stream.tell(text);
    else if (text !== '' && !stream.write(text)) this.pressure.hold(stream.drained());
  }

  private fail({ error, cause }: AnswerEvent & { type: 'failed' }, text: string): void {
    if (this.stream.isOpen) logBrokenAnswer(this.completion.run.id, error, cause);
    else this.failure = error;
    this.end(text);
  }

  private end(text: string): void {
    this.isOver = true;
    if (this.stream.isOpen) this.stream.end(text);
  }

  private leave(): void {
    const { run } = this.completion;
    this.isOver = true;
    if (!run.isClosed) run.abort(CLIENT_GONE);
  }
}

/** The last round's body with the texts and the usage of all rounds, without function calls. */
function wholeBody(body: JsonObject, texts: readonly string[], usage: Usage | null): JsonObject {
  const { choices, ...rest } = body;
  const [first, ...others] = Array.isArray(choices) ? (choices as unknown[]) : [];
  if (!isJsonObject(first) || !isJsonObject(first['message'])) return body;
  const { tool_calls: _calls, ...message } = first['message'];
  const content = joinedTexts(texts);
  return {
    ...rest,
    choices: [{ ...first, message: content === '' ? message : { ...message, content } }, ...others],
    ...(usage === null ? {} : { usage }),
  };
}

/** Sends an answer as one JSON body. */
class JsonBody {
  failure: AppError | null = null;
  private text = '';
  private sources: readonly Source[] = [];
  private hasRounds = false;
  private body: JsonObject = {};
  /** The model's text of each round. */
  private readonly texts: string[] = [];

  constructor(
    private readonly completion: Completion,
    private readonly response: Response,
  ) {
    const { run } = completion;
    onceClientLeaves(response, () => {
      if (!run.isClosed) run.abort(CLIENT_GONE);
    });
  }

  readonly take = (event: AnswerEvent): void => {
    if (event.type === 'finished') write(this.response, this.text);
    else if (event.type === 'failed') this.failure = event.error;
    else this.add(event);
  };

  private add(event: AnswerEvent): void {
    if (event.type === 'sources') this.sources = event.sources;
    else if (event.type === 'round') this.hasRounds = true;
    else if (event.type === 'message') {
      this.body = event.answer.body;
      this.texts.push(event.answer.text);
    } else if (event.type === 'answered')
      this.keep(this.hasRounds ? wholeBody(this.shown(this.body), this.texts, event.usage) : this.body);
    else if (event.type === 'report') this.keep(reportBody(event.markdown, ownIdentity(this.completion, event.model)));
  }

  private keep(body: object): void {
    this.text = JSON.stringify({ ...body, run_id: this.completion.run.id, sources: this.sources });
  }

  /** Removes thoughts, which quote the prompt, for callers who may not see all of it. */
  private shown(body: JsonObject): JsonObject {
    const { choices } = body;
    if (this.completion.assistant.disclosure === 'whole' || !Array.isArray(choices)) return body;
    const shown = (choices as unknown[]).map((choice) =>
      isJsonObject(choice) && isJsonObject(choice['message'])
        ? { ...choice, message: withoutThoughts(choice['message']) }
        : choice,
    );
    return { ...body, choices: shown };
  }
}

/** Express' `json` would add an ETag and a second copy. */
function write(response: Response, body: string): void {
  if (response.destroyed) return;
  response.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  // A string, not bytes: Node then sends header and body with one write.
  response.end(body);
}

/** Answers completions over HTTP. */
@Injectable()
export class CompletionsService {
  constructor(
    private readonly opening: CompletionOpening,
    private readonly pipeline: AnswerPipeline,
    private readonly names: AssistantModels,
  ) {}

  /**
   * Answers a request whose `model` names the assistant. Rejects only before the first byte.
   * @throws {AppError} `model_not_found` and as `AssistantModels.idOf`
   */
  answerModel(request: BellwetherRequest, response: Response): Awaitable<void> {
    const caller = callerOf(request);
    const chat = readChatRequestWithModel(withMessages(request.body));
    return onFailure(
      () => after(this.names.idOf(caller, chat.model), (id) => this.answer(caller, id, chat, response)),
      (error) => {
        throw error instanceof AppError && error.code === 'not_found' ? modelNotFound(chat.model) : error;
      },
    );
  }

  /** Rejects only before the first byte. */
  answer(caller: Caller, assistantId: number, request: ChatRequest, response: Response): Awaitable<void> {
    const opening = { caller, assistant: assistantId, request };
    const { hasPlace } = response.req as BellwetherRequest;
    const asked = hasPlace === true ? opening : { ...opening, gone: () => clientAbortSignal(response) };
    const opened = onFailure(
      () => this.opening.open(asked),
      (error) => {
        if (error instanceof LimitReached) tellRateLimit(response, error.rateLimit);
        throw error;
      },
    );
    return after(opened, (completion) => this.send(completion, response));
  }

  private send(completion: Completion, response: Response): Awaitable<void> {
    response.setHeader('X-Run-Id', completion.run.id);
    const { rateLimit } = completion.meter;
    if (rateLimit !== null) tellRateLimit(response, rateLimit);
    if (!completion.request.stream) {
      const body = new JsonBody(completion, response);
      return after(this.pipeline.answer(completion, body.take), () => {
        if (body.failure !== null && !response.destroyed) throw body.failure;
      });
    }
    const body = new StreamedBody(completion, response);
    return after(this.pipeline.answer(completion, body.take, body.pressure), () => {
      if (body.failure !== null) throw body.failure;
    });
  }
}

/** draft-ietf-httpapi-ratelimit-headers-06, section 5: the rule that is nearest to its end. */
function tellRateLimit(response: Response, { limit, remaining, resetSeconds }: RateLimit): void {
  response.setHeader('RateLimit-Limit', String(limit));
  response.setHeader('RateLimit-Remaining', String(remaining));
  response.setHeader('RateLimit-Reset', String(resetSeconds));
}
