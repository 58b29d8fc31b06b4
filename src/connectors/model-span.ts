import { type ChatMessage, textOf } from '../kernel';
import { type ModelCall, type ModelOperation, providerLabel } from '../metering';
import { inSpan, type Span } from '../infrastructure/context';
import type { ModelChunk } from './contract';

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

/** Iterates a source within a span, so that its work between two values belongs to the span. Without a span, the source itself. */
export const iterateIn = <T>(span: Span | null, source: () => AsyncIterable<T>): AsyncIterable<T> =>
  span === null ? source() : iterate(span, source);

async function* iterate<T>(span: Span, source: () => AsyncIterable<T>): AsyncGenerator<T, void, void> {
  const iterator = inSpan(span, () => source()[Symbol.asyncIterator]());
  try {
    for (;;) {
      const next = await inSpan(span, () => iterator.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await inSpan(span, () => iterator.return?.());
  }
}
