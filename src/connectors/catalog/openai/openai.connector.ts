import type { JsonObject } from '@bellwether/kernel';
import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions';
import type { ConnectorDefinition, ConnectorPlugin, ModelRequest, ModelTarget } from '../../contract';
import { wirePlugin } from '../../vendor';
import { ChatStreamReader } from './chat-stream-reader';
import { embedWithOpenAi, OPENAI_EMBEDDINGS } from './openai.embeddings';
import { OPENAI_MODELS } from './openai.models';
import { readWholeAnswer } from './whole-answer';

const DEFINITION: ConnectorDefinition = {
  name: 'openai',
  aliases: ['openai_tools', 'openai_tool_use'],
  display_name: 'OpenAI',
  description: 'Models of OpenAI, or of any server with the same API (vLLM, LiteLLM, Mistral, Groq, Azure).',
  texts: {
    es: {
      description: 'Modelos de OpenAI o de cualquier servidor con la misma API (vLLM, LiteLLM, Mistral, Groq, Azure).',
    },
    ca: {
      description: 'Models d’OpenAI o de qualsevol servidor amb la mateixa API (vLLM, LiteLLM, Mistral, Groq, Azure).',
    },
    eu: {
      description:
        'OpenAI-ren ereduak, edo API bera duen edozein zerbitzarirenak (vLLM, LiteLLM, Mistral, Groq, Azure).',
    },
  },
  icon: 'sparkles',
  capabilities: { streaming: true, vision: true, functions: true, image_generation: false },
  vendor: {
    name: 'openai',
    needsKey: true,
    baseUrl: 'https://api.openai.com/v1',
    environment: { apiKey: 'OPENAI_API_KEY', baseUrl: 'OPENAI_BASE_URL' },
  },
  embeddings: OPENAI_EMBEDDINGS,
  models: [],
  defaultModel: 'gpt-4o-mini',
};

/** Members that this connector sets itself; the rest of the client's parameters goes to the vendor unchanged. */
type OwnMember = keyof Pick<ChatCompletionCreateParams, 'stream' | 'stream_options' | 'model' | 'messages'>;

/** OpenAI replaced `user` by `safety_identifier`; other servers with its API know `user` only, and some refuse the other. */
const identityOf = ({ pseudonym }: ModelRequest, { baseUrl }: ModelTarget): JsonObject => {
  if (pseudonym === undefined) return {};
  return new URL(baseUrl).hostname === 'api.openai.com' ? { safety_identifier: pseudonym } : { user: pseudonym };
};

function plainBody(request: ModelRequest, target: ModelTarget): JsonObject {
  const { model, messages, params } = request;
  const { stream: _stream, stream_options: _options, ...rest } = params as Partial<Record<OwnMember, unknown>>;
  return { ...rest, ...identityOf(request, target), model, messages };
}

/** Usage is always asked for, since every run records it. `progress` is our own option and no vendor's. */
function streamBody(request: ModelRequest, target: ModelTarget): JsonObject {
  const { progress: _progress, ...options } = (request.params['stream_options'] ?? {}) as JsonObject;
  return { ...plainBody(request, target), stream: true, stream_options: { ...options, include_usage: true } };
}

/** OpenAI and every vendor that speaks its chat API. */
export const OPENAI: ConnectorPlugin = {
  ...wirePlugin(DEFINITION, {
    eventStream: true,
    encode: ({ request, target, stream }) => ({
      path: '/chat/completions',
      body: stream ? streamBody(request, target) : plainBody(request, target),
    }),
    whole: readWholeAnswer,
    reader: (call) => new ChatStreamReader(call),
  }),
  embeddings: embedWithOpenAi,
  models: OPENAI_MODELS,
};
