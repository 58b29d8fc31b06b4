import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions';
import type { JsonObject } from '../../../kernel';
import type { ConnectorDefinition, ModelRequest } from '../../contract';
import { wirePlugin } from '../../vendor';
import { ChatStreamReader } from './chat-stream-reader';
import { OPENAI_VENDOR } from './openai.vendor';
import { readWholeAnswer } from './whole-answer';

const DEFINITION: ConnectorDefinition = {
  name: 'openai',
  aliases: ['openai_tools', 'openai_tool_use'],
  display_name: 'OpenAI',
  description: 'OpenAI and any server with the same chat API (vLLM, LiteLLM, Mistral, Groq, Azure).',
  texts: {
    es: { description: 'OpenAI y cualquier servidor con la misma API de chat (vLLM, LiteLLM, Mistral, Groq, Azure).' },
    ca: { description: 'OpenAI i qualsevol servidor amb la mateixa API de xat (vLLM, LiteLLM, Mistral, Groq, Azure).' },
    eu: { description: 'OpenAI eta txat-API bera duen edozein zerbitzari (vLLM, LiteLLM, Mistral, Groq, Azure).' },
  },
  icon: 'sparkles',
  capabilities: { streaming: true, vision: true, functions: true, image_generation: false },
  vendor: OPENAI_VENDOR,
  models: [],
  defaultModel: 'gpt-4o-mini',
};

/** Members that this connector sets itself; the rest of the client's parameters goes to the vendor unchanged. */
type OwnMember = keyof Pick<ChatCompletionCreateParams, 'stream' | 'stream_options' | 'model' | 'messages'>;

function plainBody({ model, messages, params }: ModelRequest): JsonObject {
  const { stream: _stream, stream_options: _options, ...rest } = params as Partial<Record<OwnMember, unknown>>;
  return { ...rest, model, messages };
}

/** Usage is always asked for, since every run records it. `progress` is our own option and no vendor's. */
function streamBody(request: ModelRequest): JsonObject {
  const { progress: _progress, ...options } = (request.params['stream_options'] ?? {}) as JsonObject;
  return { ...plainBody(request), stream: true, stream_options: { ...options, include_usage: true } };
}

/** OpenAI and every vendor that speaks its chat API. */
export const OPENAI = wirePlugin(DEFINITION, {
  eventStream: true,
  encode: ({ request, stream }) => ({
    path: '/chat/completions',
    body: stream ? streamBody(request) : plainBody(request),
  }),
  whole: readWholeAnswer,
  reader: (call) => new ChatStreamReader(call),
});
