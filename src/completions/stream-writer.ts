import type { Response } from 'express';
import type { Subscription } from 'rxjs';
import type { ModelChunk, ModelRequest } from '../connectors';
import { addUsage, type AppError, isJsonObject, type Usage } from '../kernel';
import { openAiError } from '../platform/http';
import { dataFrame, SseStream } from '../platform/sse';
import { type RoundAnswer, wantsFunctions } from '../tool-calling';
import { chunkFrame, type ChunkFraming, extensionJson, withFigures } from './chunk-frames';
import { type AnswerWriter, type Completion, type ModelCall, sourcesOf } from './completion.types';
import { type ChunkIdentity, forUsers, progressFrame } from './progress-frames';
import { reportFrames } from './report-answer';
import { RoundFraming } from './round-framing';

const DONE = dataFrame('[DONE]');

/** The answer as OpenAI's event stream, progress between its frames. */
export class StreamWriter implements AnswerWriter {
  private readonly stream: SseStream;
  private progress: Subscription | null = null;
  private rounds: RoundFraming | null = null;

  constructor(
    response: Response,
    private readonly completion: Completion,
  ) {
    this.stream = new SseStream(response);
  }

  begin(model: string): void {
    const { run, request, assistant } = this.completion;
    this.stream.open();
    if (request.progress === 'off') return;
    const frame = progressFrame(request.progress);
    const identity = this.identity(model);
    this.progress = run.events$.subscribe((event) => {
      const text = frame(assistant.access === 'use' ? forUsers(event) : event, identity);
      if (text !== '') this.stream.write(text);
    });
  }

  async model(call: ModelCall, request: ModelRequest): Promise<void> {
    const { run, facts } = this.completion;
    const framing: ChunkFraming = {
      includeUsage: this.completion.request.includeUsage,
      extension: extensionJson(run.id, facts.prepared?.sources ?? []),
    };
    const spent = facts.usage;
    for await (const batch of call.stream(request)) {
      facts.firstTokenMs ??= performance.now() - run.startedMono;
      const frames = this.framesOf(batch, framing, spent);
      if (frames !== '' && !this.stream.write(frames)) await this.stream.drained();
      run.signal.throwIfAborted();
    }
  }

  async round(call: ModelCall, request: ModelRequest): Promise<RoundAnswer> {
    const { run, facts } = this.completion;
    this.rounds ??= new RoundFraming(this.completion);
    const framing = this.rounds;
    framing.begin();
    let usage: Usage | null = null;
    let finishReason = '';
    for await (const batch of call.stream(withoutUsageChunk(request))) {
      facts.firstTokenMs ??= performance.now() - run.startedMono;
      let frames = '';
      for (const chunk of batch) {
        usage = chunk.usage ?? usage;
        finishReason = chunk.finishReason ?? finishReason;
        frames += framing.frameOf(chunk);
      }
      if (frames !== '' && !this.stream.write(frames)) await this.stream.drained();
      run.signal.throwIfAborted();
    }
    facts.usage = addUsage(facts.usage, usage);
    facts.finishReason = finishReason;
    const { text, calls } = framing.round;
    if (!wantsFunctions(calls.length, finishReason)) this.tellUsage(framing);
    return { text, calls, finishReason, usage };
  }

  report(markdown: string, model: string): void {
    const { run, request, facts } = this.completion;
    facts.finishReason = 'stop';
    const sources = sourcesOf(facts);
    const { includeUsage } = request;
    this.stream.write(reportFrames(markdown, this.identity(model), { runId: run.id, sources, includeUsage }));
  }

  end(): void {
    this.progress?.unsubscribe();
    this.stream.end(DONE);
  }

  fail(error: AppError): boolean {
    this.progress?.unsubscribe();
    if (!this.stream.isOpen) return false;
    this.stream.end(dataFrame(JSON.stringify(openAiError(error))));
    return true;
  }

  private tellUsage(framing: RoundFraming): void {
    const { request, facts } = this.completion;
    if (request.includeUsage && facts.usage !== null) this.stream.write(framing.usageFrame(facts.usage));
  }

  /** One socket read of the vendor becomes one write to the client. */
  private framesOf(batch: readonly ModelChunk[], framing: ChunkFraming, spent: Usage | null): string {
    const { facts } = this.completion;
    let frames = '';
    for (const chunk of batch) {
      if (chunk.usage !== null) facts.usage = addUsage(spent, chunk.usage);
      if (chunk.finishReason !== null) facts.finishReason = chunk.finishReason;
      frames += chunkFrame(withSpent(chunk, spent), framing);
    }
    return frames;
  }

  private identity(model: string): ChunkIdentity {
    const { run } = this.completion;
    return { id: `chatcmpl-${run.id}`, created: Math.floor(run.startedAt.getTime() / 1000), model };
  }
}

/** The client is told the figures of the whole run, its tools included. */
const withSpent = (chunk: ModelChunk, spent: Usage | null): ModelChunk =>
  spent === null || chunk.usage === null
    ? chunk
    : { ...chunk, data: withFigures(chunk.data, addUsage(chunk.usage, spent) ?? spent) };

/** Every request would bring a chunk with its own figures; the client gets one with the sum. */
function withoutUsageChunk(request: ModelRequest): ModelRequest {
  const { stream_options: options, ...params } = request.params;
  if (!isJsonObject(options)) return request;
  const { include_usage: _usage, ...others } = options;
  return { ...request, params: Object.keys(others).length === 0 ? params : { ...params, stream_options: others } };
}
