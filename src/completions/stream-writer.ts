import type { Response } from 'express';
import type { Subscription } from 'rxjs';
import type { ModelChunk, ModelRequest } from '../connectors';
import type { AppError } from '../kernel';
import { openAiError } from '../platform/http';
import { dataFrame, SseStream } from '../platform/sse';
import { chunkFrame, type ChunkFraming, extensionJson } from './chunk-frames';
import type { AnswerWriter, Completion, ModelCall } from './completion.types';
import { type ChunkIdentity, progressFrame } from './progress-frames';
import { reportFrames } from './report-answer';

const DONE = dataFrame('[DONE]');

/** The answer as OpenAI's event stream, progress between its frames. */
export class StreamWriter implements AnswerWriter {
  private readonly stream: SseStream;
  private progress: Subscription | null = null;

  constructor(
    response: Response,
    private readonly completion: Completion,
  ) {
    this.stream = new SseStream(response);
  }

  begin(model: string): void {
    const { run, request } = this.completion;
    this.stream.open();
    if (request.progress === 'off') return;
    const frame = progressFrame(request.progress);
    const identity = this.identity(model);
    this.progress = run.events$.subscribe((event) => {
      const text = frame(event, identity);
      if (text !== '') this.stream.write(text);
    });
  }

  async model(call: ModelCall, request: ModelRequest): Promise<void> {
    const { run, facts } = this.completion;
    const framing: ChunkFraming = {
      includeUsage: this.completion.request.includeUsage,
      extension: extensionJson(run.id, facts.prepared?.sources ?? []),
    };
    for await (const batch of call.stream(request)) {
      facts.firstTokenMs ??= performance.now() - run.startedMono;
      const frames = this.framesOf(batch, framing);
      if (frames !== '' && !this.stream.write(frames)) await this.stream.drained();
      run.signal.throwIfAborted();
    }
  }

  report(markdown: string, model: string): void {
    const { run, request, facts } = this.completion;
    facts.finishReason = 'stop';
    const sources = facts.prepared?.sources ?? [];
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

  /** One socket read of the vendor becomes one write to the client. */
  private framesOf(batch: readonly ModelChunk[], framing: ChunkFraming): string {
    const { facts } = this.completion;
    let frames = '';
    for (const chunk of batch) {
      if (chunk.usage !== null) facts.usage = chunk.usage;
      if (chunk.finishReason !== null) facts.finishReason = chunk.finishReason;
      frames += chunkFrame(chunk, framing);
    }
    return frames;
  }

  private identity(model: string): ChunkIdentity {
    const { run } = this.completion;
    return { id: `chatcmpl-${run.id}`, created: Math.floor(run.startedAt.getTime() / 1000), model };
  }
}
