import type { ConnectorDefinition } from '../../contract';
import { errorInAnswer } from '../../transport';
import { vendorPlugin } from '../../vendor';
import { OllamaAnswer } from './ollama-answer';
import { ollamaRequest } from './ollama-request';
import { OLLAMA_VENDOR } from './ollama.vendor';

const DEFINITION: ConnectorDefinition = {
  name: 'ollama',
  aliases: [],
  display_name: 'Ollama',
  description: 'Models that run on a machine of the institution.',
  texts: {
    es: { description: 'Modelos que se ejecutan en una máquina de la institución.' },
    ca: { description: 'Models que s’executen en una màquina de la institució.' },
    eu: { description: 'Erakundearen makina batean exekutatzen diren ereduak.' },
  },
  icon: 'server',
  capabilities: { streaming: true, vision: true, functions: true, image_generation: false },
  vendor: OLLAMA_VENDOR,
  models: [],
  defaultModel: null,
};

/** Ollama's native API (docs/api.md, "Generate a chat completion"); its OpenAI-compatible one ignores context options. */
export const OLLAMA = vendorPlugin(DEFINITION, {
  framing: 'lines',
  encode: ({ request, stream }) => ({ path: '/api/chat', body: ollamaRequest(request, stream) }),
  decoder: (maxAnswerChars) => new OllamaAnswer(maxAnswerChars),
  failure: (event, secrets) => ('error' in event ? errorInAnswer(event, secrets) : null),
});
