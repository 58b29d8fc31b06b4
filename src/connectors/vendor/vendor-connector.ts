import { type Awaitable, isJsonObject } from '@bellwether/kernel';
import type { ConnectorEntry, InlineImages } from '@bellwether/plugin';
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type {
  Connector,
  ConnectorDefinition,
  ConnectorParts,
  ConnectorPlugin,
  ModelAnswer,
  ModelCallContext,
  ModelChunk,
  ModelRequest,
  ModelTarget,
  TakeChunks,
} from '../contract';
import {
  type AnswerHead,
  type AnswerSink,
  type ChunkReader,
  MAX_BODY,
  ModelTransport,
  StreamSink,
  badResponse,
  callModel,
  connectorFault,
  errorInAnswer,
  inConnector,
  streamModel,
  truncated,
} from '../transport';
import {
  AnswerStreamReader,
  StreamedAnswer,
  WholeAnswer,
  WholeAnswerReader,
  isStream,
  isWhole,
} from './answer-stream-reader';
import { answerOf, chunksOfWhole, headOf, wantsUsage } from './chat-shapes';
import type { VendorCall, VendorCodec, VendorWire } from './codec.types';
import { NO_IMAGES, inlineImages } from './inline-images';
import { TextConnector } from './fixed-answer';
import { ThoughtSplitter, splitThoughts } from './thought-splitter';

const KEPT_MS = 60 * 60 * 1000;
const KEPT_CHARS = 16 * 1024 * 1024;
const MOST_CHARS = 1024 * 1024;

interface TurnOwner {
  readonly target: ModelTarget;
  readonly scope: string | undefined;
}

/**
 * Remembers values that OpenAI's messages cannot hold but the vendor needs back with call results: thinking blocks,
 * signatures. The key is a call's id, in the scope of one API key and one person. A restart loses them, so connectors must
 * work without them.
 */
export class TurnMemory<Kept extends object> {
  private readonly turns = new LRUCache<string, Kept>({
    ttl: KEPT_MS,
    maxSize: KEPT_CHARS,
    maxEntrySize: MOST_CHARS,
    sizeCalculation: (kept) => JSON.stringify(kept).length + 1,
  });

  keep(owner: TurnOwner, callId: string, kept: Kept): void {
    this.turns.set(keyOf(owner, callId), kept);
  }

  recall(owner: TurnOwner, callId: string): Kept | undefined {
    return this.turns.get(keyOf(owner, callId));
  }
}

const keyOf = ({ target: { baseUrl, apiKey }, scope = '' }: TurnOwner, callId: string): string =>
  createHash('sha256')
    .update(JSON.stringify([baseUrl, apiKey, scope, callId]))
    .digest('base64');

/** The wire format of a vendor whose answers a codec translates. */
export const wireOf = <Kept extends object>(codec: VendorCodec<Kept>): VendorWire<Kept> => ({
  ...codec,
  eventStream: codec.framing === 'sse',
  reader: (call) => new AnswerStreamReader(codec, call),
  whole: (payload, call) => {
    if (!isJsonObject(payload)) throw badResponse('The answer of the model vendor is no object');
    const failure = codec.failure(payload, call.secrets);
    if (failure !== null) throw failure;
    const decoder = codec.decoder(call.maxAnswerChars);
    const { text: said, calls, images } = decoder.add(payload);
    const { text, thoughts } = splitThoughts(said);
    if (!decoder.finished) {
      throw said === '' ? badResponse('The answer of the model vendor holds no message') : truncated();
    }
    const { finishReason, usage, kept } = decoder;
    for (const [callId, each] of kept) call.keep(callId, each);
    const content = text === '' && calls.length > 0 ? null : text;
    const whole = answerOf(call.head, { content, toolCalls: calls, finishReason, usage });
    const echoed = thoughts === '' ? {} : { echoed: { reasoning_content: thoughts } };
    return { ...whole, ...echoed, ...(images.length === 0 ? {} : { images }) };
  },
});

class GuardedReader implements ChunkReader {
  done = false;
  finished = false;

  constructor(
    private readonly reader: ChunkReader,
    private readonly running: Parameters<typeof connectorFault>[1],
  ) {}

  read(bytes: Buffer, chunks: ModelChunk[]): void {
    const { reader } = this;
    try {
      reader.read(bytes, chunks);
      this.done = reader.done;
      this.finished = reader.finished;
    } catch (error) {
      throw connectorFault(error, this.running);
    }
  }

  end(): readonly ModelChunk[] {
    return inConnector(this.running, () => this.reader.end());
  }
}

/** The same wire format, whose own exceptions are mapped and logged. */
function guardedWire<Kept extends object>(connector: string, wire: VendorWire<Kept>): VendorWire<Kept> {
  const { encode, whole, reader: readerOf } = wire;
  const guarded = ({ runId }: VendorCall<Kept>, make: () => ChunkReader): ChunkReader => {
    const running = { connector, runId, step: 'read' } as const;
    return new GuardedReader(inConnector(running, make), running);
  };
  return {
    ...wire,
    encode: (call) => inConnector({ connector, runId: call.runId, step: 'ask' }, () => encode(call)),
    whole: (payload, call) => inConnector({ connector, runId: call.runId, step: 'read' }, () => whole(payload, call)),
    ...(readerOf && { reader: (call) => guarded(call, () => readerOf(call)) }),
  };
}

/** One answer may quote the tag. */
const SURE = 2;
/** Models remembered. */
const MAX_THINKERS = 1_000;

type ReaderOf<Kept extends object> = NonNullable<VendorWire<Kept>['reader']>;

/** Calls a vendor over HTTP. Limits, retries, images and memory between turns are the same for all vendors. */
export class VendorConnector<Kept extends object> implements Connector {
  private readonly wire: VendorWire<Kept>;
  private readonly transport: ModelTransport;
  private readonly turns = new TurnMemory<Kept>();
  /** Answers in a row whose thoughts end with a tag that nothing opened, by organization and model. */
  private readonly unopened = new Map<string, number>();

  constructor(
    readonly definition: ConnectorDefinition,
    wire: VendorWire<Kept>,
    private readonly parts: ConnectorParts,
  ) {
    this.wire = guardedWire(definition.name, wire);
    this.transport = new ModelTransport(parts.outbound, parts.limits);
  }

  complete(request: ModelRequest, target: ModelTarget, context: ModelCallContext): Promise<ModelAnswer> {
    try {
      const images = this.images(request, context);
      return images instanceof Promise
        ? images.then((loaded) => this.completeWith(this.callOf(request, target, context, loaded), context))
        : this.completeWith(this.callOf(request, target, context, images), context);
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  private completeWith(call: VendorCall<Kept>, context: ModelCallContext): Promise<ModelAnswer> {
    const post = { ...this.wire.encode(call), target: call.target, stream: false };
    return callModel(this.parts.limits, context, (deadline) =>
      this.transport.exchange({ ...post, deadline }, (head) => this.sinkOf(head, call)),
    );
  }

  /** Some servers stream though they were asked for a whole answer. */
  private sinkOf(head: AnswerHead, call: VendorCall<Kept>): AnswerSink<ModelAnswer> {
    const { reader, maxBodyBytes = MAX_BODY } = this.wire;
    if (reader === undefined || !isStream(head)) return new WholeAnswer(this.wire, call, head.statusCode);
    // The chunk with the usage is read here, whether the client asked for it or not.
    return new StreamedAnswer(reader({ ...call, includeUsage: false }), call, maxBodyBytes);
  }

  /** Nothing but the reader stands between the vendor's socket and `take` (ADR-0008). */
  async stream(request: ModelRequest, target: ModelTarget, context: ModelCallContext, take: TakeChunks): Promise<void> {
    const { reader } = this.wire;
    if (reader === undefined) {
      const answer = await this.complete(request, target, context);
      return take(chunksOfWhole(headOf(request), answer, wantsUsage(request.params)));
    }
    const images = this.images(request, context);
    const loaded = images instanceof Promise ? await images : images;
    return this.streamOf(this.callOf(request, target, context, loaded, true), { context, reader, take });
  }

  private streamOf(
    call: VendorCall<Kept>,
    { context, reader, take }: { context: ModelCallContext; reader: ReaderOf<Kept>; take: TakeChunks },
  ): Promise<void> {
    const post = { ...this.wire.encode(call), target: call.target, stream: true };
    return streamModel(this.parts.limits, context, take, (deadline, taken) =>
      this.transport.exchange({ ...post, deadline }, (head) => {
        // Some servers and proxies do not stream: their answer is whole.
        const isNoStream = this.wire.eventStream && isWhole(head);
        return new StreamSink(
          isNoStream ? new WholeAnswerReader(this.wire, call, head.statusCode) : reader(call),
          taken,
        );
      }),
    );
  }

  private images(request: ModelRequest, { runId, signal }: ModelCallContext): Awaitable<InlineImages> {
    const running = { connector: this.definition.name, runId, step: 'ask' } as const;
    const messages = inConnector(running, () => this.wire.imageMessages?.(request));
    return messages === undefined ? NO_IMAGES : inlineImages(messages, this.parts.outbound, signal);
  }

  private callOf(
    request: ModelRequest,
    target: ModelTarget,
    { runId, scope, organizationId = '' }: ModelCallContext,
    images: InlineImages,
    stream = false,
  ): VendorCall<Kept> {
    const owner = { target, scope };
    const asked = `${organizationId} ${target.baseUrl} ${request.model}`;
    return {
      request,
      target,
      stream,
      images,
      runId,
      head: headOf(request),
      includeUsage: wantsUsage(request.params),
      maxAnswerChars: this.parts.limits.maxAnswerChars,
      secrets: [target.apiKey],
      recall: (callId) => this.turns.recall(owner, callId),
      keep: (callId, kept) => this.turns.keep(owner, callId, kept),
      thoughts: () =>
        new ThoughtSplitter((this.unopened.get(asked) ?? 0) >= SURE, (isUnopened) => this.learn(asked, isUnopened)),
    };
  }

  private learn(asked: string, isUnopened: boolean): void {
    const before = this.unopened.get(asked) ?? 0;
    if (!isUnopened) this.unopened.delete(asked);
    else if (before > 0 || this.unopened.size < MAX_THINKERS) this.unopened.set(asked, before + 1);
  }
}

/** A connector by a codec, for a vendor with a wire format of its own. */
export const vendorPlugin = <Kept extends object>(
  definition: ConnectorDefinition,
  codec: VendorCodec<Kept>,
): ConnectorPlugin => wirePlugin(definition, wireOf(codec));

/** A connector for a vendor whose wire format needs more than a codec. */
export const wirePlugin = <Kept extends object>(
  definition: ConnectorDefinition,
  wire: VendorWire<Kept>,
): ConnectorPlugin => ({ definition, connect: (parts) => new VendorConnector(definition, wire, parts) });

/** A connector of a package: of a vendor's wire format, or one that writes its answers itself. */
export function connectorPlugin({ definition, codec, answer, embeddings, models }: ConnectorEntry): ConnectorPlugin {
  const plugin: ConnectorPlugin =
    codec === undefined
      ? { definition, connect: () => new TextConnector(definition, (request) => answer?.(request) ?? '') }
      : vendorPlugin(definition, {
          framing: codec.framing,
          imageMessages: codec.imageMessages?.bind(codec),
          encode: codec.encode.bind(codec),
          decoder: codec.decoder.bind(codec),
          failure: (event, secrets) => {
            const error = codec.failure?.(event) ?? null;
            return error === null ? null : errorInAnswer({ error }, secrets);
          },
        });
  return { ...plugin, ...(embeddings && { embeddings }), ...(models && { models }) };
}
