import type { ModelCall } from '../metering';
import { currentSpan, Span, type SpanSink } from '../infrastructure/context';
import { beginModelSpan, endModelSpan, streamIn, ToldAnswer } from './metered-connector';

const CALL = {
  operation: 'chat',
  provider: 'google',
  model: 'gemini-2',
  baseUrl: 'https://models.example.edu/v1',
  messages: [{ role: 'user', content: 'A private question' }],
} as const;
const ENDED = {
  operation: 'chat',
  figures: { promptTokens: 3, completionTokens: 2 },
  failure: null,
  firstChunkMs: 250,
} as ModelCall;

const rootOf = (capturesContents: boolean): Span => {
  const sink: SpanSink = { capturesContents, take: () => undefined };
  return Span.root(sink, { name: 'invoke_agent', kind: 'internal' }, null);
};

/** The attributes of a finished call of a model. */
function attributesOf(capturesContents: boolean): Span['attributes'] {
  const span = beginModelSpan(rootOf(capturesContents), CALL) as Span;
  const told = new ToldAnswer(span.capturesContents);
  told.add([{ text: 'A private answer', finishReason: 'stop' }] as never);
  endModelSpan(span, ENDED, told);
  return span.attributes;
}

describe('the span of a model call', () => {
  it('names vendor, model, server and tokens, and no contents', () => {
    const attributes = attributesOf(false);
    expect(attributes).toMatchObject({
      'gen_ai.provider.name': 'gcp.gemini',
      'gen_ai.request.model': 'gemini-2',
      'server.address': 'models.example.edu',
      'server.port': 443,
      'gen_ai.usage.input_tokens': 3,
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.response.time_to_first_chunk': 0.25,
    });
    expect(JSON.stringify(attributes)).not.toContain('private');
  });

  it('carries messages and answer where the operator asked for them', () => {
    const { 'gen_ai.input.messages': input, 'gen_ai.output.messages': output } = attributesOf(true);
    expect(JSON.parse(String(input))).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'A private question' }] },
    ]);
    expect(JSON.parse(String(output))).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'A private answer' }] },
    ]);
  });

  it('is the span of all that a stream does, not of what its reader does', async () => {
    const span = rootOf(false);
    const seen: (Span | null)[] = [];
    const read: (Span | null)[] = [];
    const take = (): undefined => void read.push(currentSpan());
    await streamIn(span, take, async (taken) => {
      for (let n = 0; n < 3; n += 1) {
        await Promise.resolve();
        seen.push(currentSpan());
        await taken([]);
      }
    });
    expect([seen, read]).toEqual([
      [span, span, span],
      [null, null, null],
    ]);
  });

  it('is left out beyond the number of spans that one trace may have', () => {
    const root = rootOf(false);
    const spans = Array.from({ length: 600 }, () => beginModelSpan(root, CALL));
    expect(spans.filter((span) => span !== null)).toHaveLength(499);
  });
});
