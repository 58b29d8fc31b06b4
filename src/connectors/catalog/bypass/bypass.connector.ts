import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, textOf, type ChatMessage, type Usage } from '../../../kernel';
import type {
  Connector,
  ConnectorDefinition,
  ConnectorPlugin,
  ModelAnswer,
  ModelCallContext,
  ModelChunk,
  ModelRequest,
  ModelTarget,
} from '../../contract';
import { answerOf, chunkOf, headOf, usageChunkOf, wantsUsage } from '../../vendor';

const NO_USAGE: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** Answers by model. `debug-bypass` shows the exact messages and parameters that a vendor would get. */
const MODELS: ReadonlyMap<string, (request: ModelRequest) => string> = new Map([
  ['debug-bypass', debug],
  ['simple-bypass', ({ messages }: ModelRequest) => contentOf(messages.at(-1))],
  [
    'full-conversation-bypass',
    ({ messages }: ModelRequest) => messages.map((message) => `${message.role}: ${contentOf(message)}`).join('\n'),
  ],
]);

const DEFINITION: ConnectorDefinition = {
  name: 'bypass',
  aliases: [],
  display_name: 'Bypass',
  description:
    'Shows the exact text that a model would receive, without asking one. For checking an assistant at no cost.',
  texts: {
    es: {
      description:
        'Muestra el texto exacto que recibiría un modelo, sin preguntar a ninguno. Sirve para revisar un asistente sin coste.',
    },
    ca: {
      description:
        'Mostra el text exacte que rebria un model, sense preguntar a cap. Serveix per revisar un assistent sense cost.',
    },
    eu: {
      description:
        'Eredu batek jasoko lukeen testua bera erakusten du, eredurik galdetu gabe. Laguntzaile bat doan egiaztatzeko balio du.',
    },
  },
  icon: 'scan-text',
  capabilities: { streaming: true, vision: true, functions: false, image_generation: false },
  vendor: null,
  models: [...MODELS.keys()],
  defaultModel: 'debug-bypass',
};

/** Answers without a model: for tests, and for a service without any key. */
class BypassConnector implements Connector {
  readonly definition = DEFINITION;

  complete(request: ModelRequest, _target: ModelTarget, { signal }: ModelCallContext): Promise<ModelAnswer> {
    if (signal.aborted) return Promise.reject(cancelled());
    const whole = { content: answer(request), finishReason: 'stop', usage: NO_USAGE };
    return Promise.resolve(answerOf(headOf(request), whole));
  }

  async *stream(
    request: ModelRequest,
    _target: ModelTarget,
    { signal }: ModelCallContext,
  ): AsyncGenerator<readonly ModelChunk[]> {
    const head = headOf(request);
    if (signal.aborted) throw cancelled();
    yield [chunkOf(head, { role: 'assistant', content: '' })];
    for (const piece of pieces(answer(request))) {
      // Yields to the event loop: a long answer must not block others or a cancellation.
      await nextTurn();
      if (signal.aborted) throw cancelled();
      yield [chunkOf(head, { content: piece })];
    }
    const finish = chunkOf(head, {}, 'stop');
    if (wantsUsage(request.params)) yield [finish, usageChunkOf(head, NO_USAGE)];
    else yield [{ ...finish, usage: NO_USAGE }];
  }
}

export const BYPASS: ConnectorPlugin = { definition: DEFINITION, connect: () => new BypassConnector() };

const answer = (request: ModelRequest): string => (MODELS.get(request.model) ?? debug)(request);

/** LAMB's form: the messages, then the whole request. */
function debug({ model, messages, params }: ModelRequest): string {
  const body = { model, messages, ...params };
  return `Messages:\n${JSON.stringify(messages, null, 2)}\n\nBody:\n${JSON.stringify(body, null, 2)}`;
}

/** Text as it is; parts as their text, so that an image does not become megabytes of answer. */
const contentOf = (message: ChatMessage | undefined): string => textOf(message?.content);

const MAX_PIECES = 400;

/**
 * Splits into words with their trailing white space, several per piece in a long text. Joined, the pieces give the
 * text.
 */
function* pieces(text: string): Generator<string> {
  const least = Math.ceil(text.length / MAX_PIECES);
  let piece = '';
  for (const [word] of text.matchAll(/\s*\S+\s*|\s+/g)) {
    piece += word;
    if (piece.length < least) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

const cancelled = (): AppError => new AppError('cancelled', 'The request was cancelled');
