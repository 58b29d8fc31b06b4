import { textOf, type ChatMessage } from '@bellwether/kernel';
import type { ConnectorDefinition, ConnectorPlugin, ModelRequest } from '../../contract';
import { TextConnector } from '../../vendor';

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
  answers: 'prompt',
  capabilities: { streaming: true, vision: true, functions: false, image_generation: false },
  vendor: null,
  models: [...MODELS.keys()],
  defaultModel: 'debug-bypass',
};

export const BYPASS: ConnectorPlugin = { definition: DEFINITION, connect: () => new TextConnector(DEFINITION, answer) };

const answer = (request: ModelRequest): string => (MODELS.get(request.model) ?? debug)(request);

/** LAMB's form: the messages, then the whole request. */
function debug({ model, messages, params }: ModelRequest): string {
  const body = { model, messages, ...params };
  return `Messages:\n${JSON.stringify(messages, null, 2)}\n\nBody:\n${JSON.stringify(body, null, 2)}`;
}

/** Text as it is; parts as their text, so that an image does not become megabytes of answer. */
const contentOf = (message: ChatMessage | undefined): string => textOf(message?.content);
