import { AsyncResource } from 'node:async_hooks';
import { AppError, type Awaitable, type ChatMessage, after, settle, textOf } from '@bellwether/kernel';
import { type Span, currentSpan, inSpan } from '../infrastructure/context';
import { type ModelCall, type ModelOperation, type RunMeter, providerLabel } from '../metering';
import { type ConnectionOutcome, outcomeOf } from '../organizations';
import {
  type Connector,
  type ModelAnswer,
  type ModelCallContext,
  type ModelChunk,
  type ModelRequest,
  type ModelTarget,
  ReaderLeft,
  type TakeChunks,
} from './contract';

/** Characters of one message in a span, and of an answer. */
const MOST_CHARS = 16_000;

interface TracedCall {
  readonly operation: ModelOperation;
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  /** Empty for embeddings. */
  readonly messages: readonly ChatMessage[];
}

/** Null where the trace has too many spans. */
export function beginModelSpan(
  parent: Span,
  { operation, provider, model, baseUrl, messages }: TracedCall,
): Span | null {
  const server = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  const port = server === null ? null : Number(server.port || (server.protocol === 'https:' ? 443 : 80));
  return parent.child({
    name: `${operation} ${model}`,
    kind: 'client',
    attributes: {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': providerLabel(provider),
      'gen_ai.request.model': model,
      'server.address': server?.hostname,
      'server.port': port,
      'gen_ai.input.messages': parent.capturesContents && messages.length > 0 ? asParts(messages) : null,
    },
  });
}

export function endModelSpan(span: Span | null, call: ModelCall, answer: EndedAnswer | null): void {
  if (span === null) return;
  const { finishReason = null, text = '' } = answer ?? {};
  const { promptTokens, completionTokens } = call.figures;
  span.set({
    'gen_ai.usage.input_tokens': promptTokens,
    'gen_ai.usage.output_tokens': call.operation === 'chat' ? completionTokens : null,
    'gen_ai.response.finish_reasons': finishReason === null ? null : [finishReason],
    'gen_ai.response.time_to_first_chunk': call.firstChunkMs === null ? null : call.firstChunkMs / 1e3,
  });
  if (span.capturesContents && text !== '') {
    span.set({ 'gen_ai.output.messages': asParts([{ role: 'assistant', content: text }]) });
  }
  if (call.failure !== null) span.fail(call.failure);
  span.end();
}

interface EndedAnswer {
  readonly finishReason: string | null;
  readonly text: string;
}

/** The parts of a streamed answer that its span records. */
export class ToldAnswer {
  text = '';
  finishReason: string | null = null;

  constructor(private readonly keepsText: boolean) {}

  add(chunks: readonly ModelChunk[]): void {
    for (const { text, finishReason } of chunks) {
      this.finishReason = finishReason ?? this.finishReason;
      if (this.keepsText && this.text.length < MOST_CHARS) this.text += text;
    }
  }
}

const asParts = (messages: readonly ChatMessage[]): string =>
  JSON.stringify(
    messages.map(({ role, content }) => {
      const text = typeof content === 'string' ? content : textOf(content);
      return { role, parts: [{ type: 'text', content: text.slice(0, MOST_CHARS) }] };
    }),
  );

/** Streams within a span: what the connector does belongs to it, what the reader does stays outside. */
export function streamIn(
  span: Span | null,
  take: TakeChunks,
  stream: (take: TakeChunks) => Promise<void>,
): Promise<void> {
  if (span === null) return stream(take);
  const outside = AsyncResource.bind(take);
  return inSpan(span, () => stream(outside));
}

interface Metered {
  readonly provider: string;
  readonly meterOf: (runId: string) => RunMeter | Promise<RunMeter>;
  /** Called with the outcome of each call, except of calls whose reader went away. */
  readonly note: (outcome: ConnectionOutcome) => void;
}

/** Counts every call of one provider in the meter of its run, and notes how it ended. */
export function meteredConnector(connector: Connector, { provider, meterOf, note }: Metered): Connector {
  const fail = (call: ModelCall, startedAt: number, error: unknown): void => {
    call.fail(error);
    if (error instanceof AppError && error.code !== 'cancelled') note(outcomeOf(startedAt, error));
  };
  const begin = (request: ModelRequest, { runId }: ModelCallContext): Awaitable<[RunMeter, ModelCall]> =>
    after(meterOf(runId), (meter) => after(meter.begin(provider, request), (call) => [meter, call]));
  return {
    definition: connector.definition,
    complete: (request, target, context) =>
      after(begin(request, context), ([meter, call]) => {
        const span = spanOf(provider, request, target);
        const startedAt = performance.now();
        const end = (answer: ModelAnswer | null): void => {
          meter.end(call);
          endModelSpan(span, call, answer);
        };
        return settle(
          () => inSpan(span, () => connector.complete(request, target, context)),
          (answer) => {
            call.receive({ ...answer, calls: answer.calls.map((each) => each.function) });
            note(outcomeOf(startedAt, null));
            end(answer);
            return answer;
          },
          (error) => {
            fail(call, startedAt, error);
            end(null);
            throw error;
          },
        );
      }),
    async stream(request, target, context, take) {
      const begun = begin(request, context);
      const [meter, call] = begun instanceof Promise ? await begun : begun;
      const span = spanOf(provider, request, target);
      const told = span === null ? null : new ToldAnswer(span.capturesContents);
      const startedAt = performance.now();
      const count: TakeChunks = (chunks) => {
        for (const chunk of chunks) call.receiveChunk(chunk);
        told?.add(chunks);
        const extended = meter.extend(call);
        return extended === null ? take(chunks) : extended.then(() => take(chunks));
      };
      try {
        await streamIn(span, count, (counted) => connector.stream(request, target, context, counted));
        note(outcomeOf(startedAt, null));
      } catch (error) {
        if (!(error instanceof ReaderLeft)) fail(call, startedAt, error);
        throw error;
      } finally {
        meter.end(call);
        endModelSpan(span, call, told);
      }
    },
  };
}

/** Null while no trace is recorded. */
function spanOf(provider: string, { model, messages }: ModelRequest, { baseUrl }: ModelTarget): Span | null {
  const parent = currentSpan();
  return parent === null ? null : beginModelSpan(parent, { operation: 'chat', provider, model, baseUrl, messages });
}
