import { isJsonObject } from '@bellwether/kernel';
import type { ConnectorDefinition, ConnectorPlugin, ModelsWire } from '../../contract';
import { errorInAnswer } from '../../transport';
import { vendorPlugin } from '../../vendor';
import { OllamaAnswer } from './ollama-answer';
import { ollamaRequest } from './ollama-request';
import { embedWithOllama, OLLAMA_EMBEDDINGS } from './ollama.embeddings';

const DEFINITION: ConnectorDefinition = {
  name: 'ollama',
  aliases: [],
  display_name: 'Ollama',
  description: 'Models that run on a server of your institution.',
  texts: {
    es: { description: 'Modelos que se ejecutan en un servidor de su institución.' },
    ca: { description: 'Models que s’executen en un servidor de la vostra institució.' },
    eu: { description: 'Zure erakundearen zerbitzari batean exekutatzen diren ereduak.' },
  },
  icon: 'server',
  capabilities: { streaming: true, vision: true, functions: true, image_generation: false },
  vendor: {
    name: 'ollama',
    needsKey: false,
    baseUrl: null,
    environment: { baseUrl: 'OLLAMA_BASE_URL' },
  },
  embeddings: OLLAMA_EMBEDDINGS,
  models: [],
  defaultModel: null,
};

/** docs/api.md, "List Local Models". */
const MODELS: ModelsWire = {
  request: () => ({ path: '/api/tags' }),
  read: (payload) => {
    if (!isJsonObject(payload) || !Array.isArray(payload['models'])) return null;
    return payload['models']
      .filter(isJsonObject)
      .flatMap(({ name }) => (typeof name === 'string' ? { id: name, name: null } : []));
  },
};

/** Ollama's native API (docs/api.md, "Generate a chat completion"); its OpenAI-compatible one ignores context options. */
export const OLLAMA: ConnectorPlugin = {
  ...vendorPlugin(DEFINITION, {
    framing: 'lines',
    encode: ({ request, stream }) => ({ path: '/api/chat', body: ollamaRequest(request, stream) }),
    decoder: (maxAnswerChars) => new OllamaAnswer(maxAnswerChars),
    failure: (event, secrets) => ('error' in event ? errorInAnswer(event, secrets) : null),
  }),
  embeddings: embedWithOllama,
  models: MODELS,
};
