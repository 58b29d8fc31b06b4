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
import { type Observable, map, merge, takeUntil } from 'rxjs';
import {
  type AnswerEvent,
  AnswerPipeline,
  Backpressure,
  type ChatRequest,
  type Completion,
  CompletionOpening,
  callerOf,
  joinedTexts,
  logBrokenAnswer,
  modelNotFound,
  readChatRequestWithModel,
  toldProgress,
} from '../answering';
import { type BellwetherRequest, clientAbortSignal, toAppError, whenAborted } from '../infrastructure/http';
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

/** Sends an answer as OpenAI's event stream with progress. Rejects only before the first byte. */
function sendStream(
  answer: Observable<AnswerEvent>,
  { completion, response, pressure }: { completion: Completion; response: Response; pressure: Backpressure },
): Promise<void> {
  const { run, request } = completion;
  const stream = new SseStream(response);
  const frames = new StreamFrames(completion);
  const events = request.progress === 'off' ? answer : merge(toldProgress(completion), answer);
  return new Promise((resolve, reject) => {
    const fail = (event: AnswerEvent & { type: 'failed' }, text: string): void => {
      if (!stream.isOpen) return reject(event.error);
      stream.end(text);
      logBrokenAnswer(run.id, event.error, event.cause);
    };
    events
      .pipe(
        map((event) => [event, frames.of(event)] as const),
        takeUntil(whenAborted(clientAbortSignal(response))),
      )
      .subscribe({
        next: ([event, text]) => {
          if (event.type === 'begun') stream.open();
          else if (event.type === 'finished') stream.end(text);
          else if (event.type === 'failed') fail(event, text);
          else if (text !== '' && !stream.write(text)) pressure.hold(stream.drained());
        },
        error: (cause: unknown) => {
          const error = toAppError(cause);
          run.abort(error.code);
          const event = { type: 'failed', record: { status: 'failed' }, error, cause } as const;
          fail(event, frames.of(event));
          resolve();
        },
        complete: resolve,
      });
  });
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

/** Builds the body of a completion from the events of its answer. */
class JsonBody {
  text = '';
  private sources: readonly Source[] = [];
  private hasRounds = false;
  private body: JsonObject = {};
  /** The model's text of each round. */
  private readonly texts: string[] = [];

  constructor(private readonly completion: Completion) {}

  add(event: AnswerEvent): void {
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

/** Sends an answer as one JSON body. Rejects with the answer's failure. */
function sendJson(answer: Observable<AnswerEvent>, completion: Completion, response: Response): Promise<void> {
  const body = new JsonBody(completion);
  return new Promise((resolve, reject) => {
    answer.pipe(takeUntil(whenAborted(clientAbortSignal(response)))).subscribe({
      next: (event) => {
        if (event.type === 'failed') return reject(event.error);
        body.add(event);
        if (event.type === 'finished') write(response, body.text);
      },
      error: reject,
      complete: resolve,
    });
  });
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

  private send(completion: Completion, response: Response): Promise<void> {
    response.setHeader('X-Run-Id', completion.run.id);
    const { rateLimit } = completion.meter;
    if (rateLimit !== null) tellRateLimit(response, rateLimit);
    const pressure = new Backpressure();
    const answer = this.pipeline.answer(completion, pressure);
    return completion.request.stream
      ? sendStream(answer, { completion, response, pressure })
      : sendJson(answer, completion, response);
  }
}

/** draft-ietf-httpapi-ratelimit-headers-06, section 5: the rule that is nearest to its end. */
function tellRateLimit(response: Response, { limit, remaining, resetSeconds }: RateLimit): void {
  response.setHeader('RateLimit-Limit', String(limit));
  response.setHeader('RateLimit-Remaining', String(remaining));
  response.setHeader('RateLimit-Reset', String(resetSeconds));
}
