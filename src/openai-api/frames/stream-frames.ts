import type { AnswerEvent, Completion } from '../../answering';
import type { StampedRunEvent } from '../../kernel';
import { openAiError } from '../../infrastructure/http';
import { dataFrame } from '../../infrastructure/sse';
import { chunkFrame, extensionJson } from './chunk-frames';
import { type ChunkIdentity, ownIdentity } from './chunk-identity';
import { progressFrame } from './progress-frames';
import { reportFrames } from './report-answer';
import { RoundFraming } from './round-framing';

const DONE = dataFrame('[DONE]');

const endFrame = (event: Extract<AnswerEvent, { type: 'finished' | 'failed' }>): string =>
  event.type === 'finished' ? DONE : dataFrame(JSON.stringify(openAiError(event.error)));

/** Turns the events of one answer into frames of OpenAI's stream; '' for none. */
export class StreamFrames {
  private identity: ChunkIdentity | null = null;
  private extension: string;
  private rounds: RoundFraming | null = null;
  private readonly progress: ReturnType<typeof progressFrame>;

  constructor(private readonly completion: Completion) {
    this.extension = extensionJson(completion.run.id, []);
    this.progress = progressFrame(completion.request.progress);
  }

  of(event: AnswerEvent): string {
    return event.type === 'delta' ? this.delta(event) : this.other(event);
  }

  private other(event: Exclude<AnswerEvent, { type: 'delta' }>): string {
    switch (event.type) {
      case 'progress':
        return this.told(event.event);
      case 'begun':
        return this.begin(event.model);
      case 'sources':
        this.extension = extensionJson(this.completion.run.id, event.sources);
        return '';
      case 'round':
        this.rounds ??= new RoundFraming(this.ownIdentity(), this.completion.assistant.disclosure === 'whole');
        this.rounds.begin();
        return '';
      case 'report':
        return reportFrames(event.markdown, this.ownIdentity(), this.extension, this.completion.request.includeUsage);
      case 'answered':
        return this.usage(event);
      case 'finished':
      case 'failed':
        return endFrame(event);
      case 'message':
      case 'tool_calls':
        return '';
    }
  }

  private begin(model: string): string {
    this.identity = ownIdentity(this.completion, model);
    return '';
  }

  /** One socket read of the vendor becomes one write to the client. */
  private delta({ chunks, callsFollow }: Extract<AnswerEvent, { type: 'delta' }>): string {
    const { rounds, extension } = this;
    const { includeUsage } = this.completion.request;
    let frames = '';
    if (rounds === null) for (const chunk of chunks) frames += chunkFrame(chunk, { includeUsage, extension });
    else for (const chunk of chunks) frames += rounds.frameOf(chunk, { callsFollow, extension });
    return frames;
  }

  /** A usage chunk with the sum of all rounds. Without rounds, the vendor's own usage chunk was already forwarded. */
  private usage({ usage }: Extract<AnswerEvent, { type: 'answered' }>): string {
    if (this.rounds === null || usage === null || !this.completion.request.includeUsage) return '';
    return this.rounds.usageFrame(usage);
  }

  private told(event: StampedRunEvent): string {
    return this.identity === null ? '' : this.progress(event, this.identity);
  }

  private ownIdentity(): ChunkIdentity {
    return this.identity ?? ownIdentity(this.completion, '');
  }
}
