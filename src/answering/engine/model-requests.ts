import {
  type Awaitable,
  type ChatMessage,
  type JsonObject,
  type Usage,
  addUsage,
  after,
  isJsonObject,
  textOf,
} from '@bellwether/kernel';
import {
  type ModelAnswer,
  type ModelChunk,
  type ModelRequest,
  ReaderLeft,
  type ResolvedModel,
  type TakeChunks,
} from '../../connectors';
import { type Backpressure, type Completion, type TellAnswer, joinedTexts } from '../completion.types';
import { AnswerAssembler, type RoundAnswer, wantsFunctions } from '../tool-calling';
import type { AnswerImages } from './answer-images';
import type { AnswerRecordBuilder } from './answer-record-builder';

/** Adds a rule to the end of the system prompt: it holds whatever the assistant's own prompt and the question say. */
export function withInstruction(messages: readonly ChatMessage[], instruction: string): readonly ChatMessage[] {
  const [first, ...others] = messages;
  if (first?.role !== 'system') return [{ role: 'system', content: instruction }, ...messages];
  return [{ ...first, content: `${textOf(first.content)}\n\n${instruction}`.trim() }, ...others];
}

/** Adds the run's earlier usage to the chunk's usage. */
function chunkWithSpent(chunk: ModelChunk, spent: Usage | null): ModelChunk {
  if (spent === null || chunk.usage === null) return chunk;
  const usage = addUsage(chunk.usage, spent);
  const parsed: unknown = JSON.parse(chunk.data);
  if (!isJsonObject(parsed) || !isJsonObject(parsed['usage'])) return chunk;
  return { ...chunk, data: JSON.stringify({ ...parsed, usage: { ...parsed['usage'], ...usage } }) };
}

/** Adds the run's earlier usage to the answer's usage. */
function answerWithSpent(answer: ModelAnswer, spent: Usage | null): ModelAnswer {
  if (spent === null || answer.usage === null) return answer;
  const { body } = answer;
  const own = isJsonObject(body['usage']) ? body['usage'] : {};
  return { ...answer, body: { ...body, usage: { ...own, ...addUsage(spent, answer.usage) } } };
}

/** A request without a usage chunk: after the rounds the client gets one chunk with the sum. */
function withoutUsageChunk(request: ModelRequest): ModelRequest {
  const { stream_options: options, ...params } = request.params;
  if (!isJsonObject(options)) return request;
  const { include_usage: _usage, ...others } = options;
  const kept: JsonObject = Object.keys(others).length === 0 ? params : { ...params, stream_options: others };
  return { ...request, params: kept };
}

/** The failures of this service are none of the vendor's. */
function leaving(take: TakeChunks): TakeChunks {
  const leave = (cause: unknown): never => {
    throw new ReaderLeft(cause);
  };
  return (chunks) => {
    try {
      return take(chunks)?.catch(leave);
    } catch (error) {
      return leave(error);
    }
  };
}

/** The state of one answer that its steps share. */
export interface AnswerInProgress {
  readonly completion: Completion;
  readonly builder: AnswerRecordBuilder;
  readonly tell: TellAnswer;
  readonly pressure: Backpressure;
}

/** The model requests of one answer. The vendor's chunks pass unchanged. */
export class ModelRequests {
  constructor(
    private readonly answer: AnswerInProgress,
    private readonly resolved: ResolvedModel,
    private readonly images: AnswerImages,
  ) {}

  /** The answer so far. */
  get text(): string {
    return joinedTexts(this.answer.builder.texts);
  }

  /** A request that is the whole answer. */
  single(request: ModelRequest): Awaitable<void> {
    const { completion, builder, tell } = this.answer;
    const spent = builder.usage;
    if (!completion.request.stream)
      return this.whole(request, (answer) => tell({ type: 'message', answer: answerWithSpent(answer, spent) }));
    builder.beginText();
    return this.stream(request, (chunks) => {
      builder.receive(chunks);
      const told = spent === null ? chunks : chunks.map((chunk) => chunkWithSpent(chunk, spent));
      for (const { usage, finishReason } of chunks) {
        if (usage !== null) builder.usage = addUsage(spent, usage);
        if (finishReason !== null) builder.finishReason = finishReason;
      }
      tell({ type: 'delta', chunks: told, callsFollow: false });
    });
  }

  /** A request of the tool loop. */
  async round(request: ModelRequest, round: number): Promise<RoundAnswer> {
    const { tell } = this.answer;
    tell({ type: 'round', round });
    const answer = await (this.answer.completion.request.stream
      ? this.streamedRound(request)
      : this.wholeRound(request));
    if (wantsFunctions(answer.calls.length, answer.finishReason))
      tell({ type: 'tool_calls', round, calls: answer.calls });
    return answer;
  }

  private async streamedRound(request: ModelRequest): Promise<RoundAnswer> {
    const { builder, tell } = this.answer;
    const assembler = new AnswerAssembler();
    let usage: Usage | null = null;
    let finishReason = '';
    builder.beginText();
    await this.stream(withoutUsageChunk(request), (chunks) => {
      builder.receive(chunks);
      let isLast = false;
      for (const chunk of chunks) {
        assembler.add(chunk);
        usage = chunk.usage ?? usage;
        if (chunk.finishReason === null) continue;
        finishReason = chunk.finishReason;
        isLast = true;
      }
      tell({ type: 'delta', chunks, callsFollow: isLast && wantsFunctions(assembler.calls.length, finishReason) });
    });
    builder.usage = addUsage(builder.usage, usage);
    builder.finishReason = finishReason;
    const { text, calls, echoed } = assembler;
    return { text, calls, echoed, finishReason, usage };
  }

  private wholeRound(request: ModelRequest): Awaitable<RoundAnswer> {
    return this.whole(request, (answer) => {
      this.answer.tell({ type: 'message', answer });
      const { text, calls, echoed, finishReason, usage } = answer;
      return { text, calls, ...(echoed === undefined ? {} : { echoed }), finishReason, usage };
    });
  }

  private whole<T>(request: ModelRequest, told: (answer: ModelAnswer) => T): Awaitable<T> {
    const { completion } = this.answer;
    const { connector, target } = this.resolved;
    return after(connector.complete(request, target, this.context()), (made) =>
      after(this.images.inAnswer(completion, made), (answer) => told(this.received(answer))),
    );
  }

  private received(answer: ModelAnswer): ModelAnswer {
    const { builder } = this.answer;
    builder.usage = addUsage(builder.usage, answer.usage);
    builder.finishReason = answer.finishReason;
    builder.texts.push(answer.text);
    return answer;
  }

  /** Gives the vendor's chunks to `told` as they arrive, with generated images as links. */
  private async stream(request: ModelRequest, told: (chunks: readonly ModelChunk[]) => void): Promise<void> {
    const { connector, target } = this.resolved;
    const pass: TakeChunks = (chunks) => {
      told(chunks);
      return this.pause();
    };
    const makesImages = connector.definition.capabilities.image_generation;
    const take = makesImages ? this.images.inChunks(this.answer.completion, pass) : pass;
    try {
      await connector.stream(request, target, this.context(), leaving(take));
    } catch (error) {
      throw error instanceof ReaderLeft ? error.cause : error;
    }
  }

  /** A promise that slow readers hold until the vendor is read again; undefined when none is slow. */
  private pause(): Promise<void> | undefined {
    const { completion, pressure } = this.answer;
    completion.run.signal.throwIfAborted();
    return pressure.held?.then(() => completion.run.signal.throwIfAborted());
  }

  private context() {
    const { run, assistant } = this.answer.completion;
    const { organizationId } = assistant;
    return {
      signal: run.signal,
      runId: run.id,
      scope: scopeOf(this.answer.completion),
      organizationId,
      emit: run.emit,
    };
  }
}

/** Scope of vendor state that the same person's next request to the same assistant may use. */
function scopeOf({ assistant, run }: Completion): string {
  const { userId, endUser } = run.input.caller;
  return `${assistant.organizationId}/${assistant.id}/${userId}/${endUser?.id ?? ''}`;
}
