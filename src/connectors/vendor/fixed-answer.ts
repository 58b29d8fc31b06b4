import { AppError } from '@bellwether/kernel';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  Connector,
  ConnectorDefinition,
  ModelAnswer,
  ModelCallContext,
  ModelRequest,
  TakeChunks,
} from '../contract';
import { inConnector } from '../transport';
import { NO_USAGE, answerOf, chunkOf, headOf, usageChunkOf, wantsUsage } from './chat-shapes';

const MAX_PIECES = 400;

/** A connector without a vendor: `write` makes the whole answer, and streams get it in pieces. */
export class TextConnector implements Connector {
  constructor(
    readonly definition: ConnectorDefinition,
    private readonly write: (request: ModelRequest) => string,
  ) {}

  complete(request: ModelRequest, _target: unknown, context: ModelCallContext): Promise<ModelAnswer> {
    if (context.signal.aborted) return Promise.reject(cancelled());
    const written = Promise.resolve().then(() => this.written(request, context));
    return written.then((content) => answerOf(headOf(request), { content, finishReason: 'stop', usage: NO_USAGE }));
  }

  async stream(request: ModelRequest, _target: unknown, context: ModelCallContext, take: TakeChunks): Promise<void> {
    const { signal } = context;
    const head = headOf(request);
    if (signal.aborted) throw cancelled();
    const text = this.written(request, context);
    await take([chunkOf(head, { role: 'assistant', content: '' })]);
    for (const piece of pieces(text)) {
      // Yields to the event loop: a long answer must not block others or a cancellation.
      await nextTurn();
      if (signal.aborted) throw cancelled();
      await take([chunkOf(head, { content: piece })]);
    }
    const finish = chunkOf(head, {}, 'stop');
    await take(wantsUsage(request.params) ? [finish, usageChunkOf(head, NO_USAGE)] : [{ ...finish, usage: NO_USAGE }]);
  }

  private written(request: ModelRequest, { runId }: ModelCallContext): string {
    return inConnector({ connector: this.definition.name, runId, step: 'ask' }, () => this.write(request));
  }
}

/**
 * Splits into words with their trailing white space, several per piece in a long text. Joined, the pieces give the
 * text.
 */
function* pieces(text: string): Generator<string> {
  const least = Math.ceil(text.length / MAX_PIECES);
  let piece = '';
  for (const [word] of text.matchAll(/^\s+|\S+\s*/g)) {
    piece += word;
    if (piece.length < least) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

const cancelled = (): AppError => new AppError('cancelled', 'The request was cancelled');

/** Says the same whatever is asked. No catalogue lists it. */
const DEFINITION: ConnectorDefinition = {
  name: 'fixed',
  aliases: [],
  display_name: 'Fixed answer',
  description: 'Answers with a given text.',
  texts: {
    es: { description: 'Responde con un texto dado.' },
    ca: { description: 'Respon amb un text donat.' },
    eu: { description: 'Testu jakin batekin erantzuten du.' },
  },
  icon: 'quote',
  capabilities: { streaming: true, vision: false, functions: false, image_generation: false },
  vendor: null,
  models: ['fixed'],
  defaultModel: 'fixed',
};

export const fixedAnswer = (text: string): Connector => new TextConnector(DEFINITION, () => text);
