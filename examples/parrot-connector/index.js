import { definePlugin } from '@bellwether/plugin';

/** @import { AnswerDecoder, ConnectorEntry } from '@bellwether/plugin' */

/** @implements {AnswerDecoder} */
class ParrotAnswer {
  finished = false;
  finishReason = 'stop';
  usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  kept = new Map();

  get done() {
    return this.finished;
  }

  /**
   * A whole answer is one such event, a stream has one for each word.
   * @type {AnswerDecoder['add']}
   */
  add({ said = '', over, tokens }) {
    this.finished = over === true;
    if (typeof tokens === 'number')
      this.usage = { prompt_tokens: tokens, completion_tokens: tokens, total_tokens: 2 * tokens };
    return { text: String(said), calls: [], images: [] };
  }
}

/**
 * A vendor of models with a wire format of its own: `POST /say` takes `{ bird, hear, stream }` and answers JSON, one
 * object a line where it streams.
 * @type {ConnectorEntry}
 */
export const parrot = {
  definition: {
    name: 'parrot',
    aliases: [],
    display_name: 'Parrot',
    description: 'Repeats the last question.',
    texts: {
      es: { description: 'Repite la última pregunta.' },
      ca: { description: 'Repeteix l’última pregunta.' },
      eu: { description: 'Azken galdera errepikatzen du.' },
    },
    icon: 'bird',
    capabilities: { streaming: true, vision: false, functions: false, image_generation: false },
    vendor: {
      name: 'parrot',
      needsKey: true,
      baseUrl: null,
      environment: { apiKey: 'PARROT_API_KEY', baseUrl: 'PARROT_BASE_URL' },
    },
    models: [],
    defaultModel: 'grey',
  },
  codec: {
    framing: 'lines',
    encode: ({ request, target, stream }) => ({
      path: '/say',
      headers: { 'x-seed': target.apiKey ?? '' },
      body: { bird: request.model, hear: request.messages.at(-1)?.content, stream },
    }),
    decoder: () => new ParrotAnswer(),
    failure: ({ error }) => (typeof error === 'string' ? error : null),
  },
};

export default definePlugin({ connectors: [parrot] });
