import { Inject, Injectable, Optional } from '@nestjs/common';
import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions';
import type { Dispatcher } from 'undici';
import { isJsonObject, uuidv7, type JsonObject } from '../../../kernel';
import { OutboundClient } from '../../../platform/outbound';
import type {
  Connector,
  ConnectorDefinition,
  ModelAnswer,
  ModelCallContext,
  ModelChunk,
  ModelRequest,
  ModelTarget,
} from '../../contract';
import { wantsUsage } from '../../shapes';
import {
  badResponse,
  callModel,
  DEFAULT_CALL_LIMITS,
  errorInAnswer,
  MODEL_CALL_LIMITS,
  ModelTransport,
  streamModel,
  type ModelCallLimits,
} from '../../transport';
import { ChatStreamReader } from './chat-stream-reader';
import type { ChunkDefaults } from './strict-chunk';
import { readWholeAnswer } from './whole-answer';

const PATH = '/chat/completions';

/** OpenAI and every vendor that speaks its chat API. */
@Injectable()
export class OpenAiConnector implements Connector {
  readonly definition: ConnectorDefinition = {
    name: 'openai',
    aliases: ['openai_tools', 'openai_tool_use'],
    display_name: 'OpenAI',
    description: 'OpenAI and any server with the same chat API (vLLM, LiteLLM, Mistral, Groq, Azure).',
    capabilities: { streaming: true, vision: true, functions: true, image_generation: false },
    provider: 'openai',
    needsKey: true,
    models: [],
    defaultModel: 'gpt-4o-mini',
  };
  private readonly transport: ModelTransport;

  constructor(
    @Inject(OutboundClient) outbound: OutboundClient,
    @Optional() @Inject(MODEL_CALL_LIMITS) private readonly limits: ModelCallLimits = DEFAULT_CALL_LIMITS,
  ) {
    this.transport = new ModelTransport(outbound, limits);
  }

  complete(request: ModelRequest, target: ModelTarget, context: ModelCallContext): Promise<ModelAnswer> {
    const body = plainBody(request);
    return callModel(this.limits, context, async (deadline) => {
      const response = await this.transport.post({ target, path: PATH, body, stream: false, deadline });
      const payload = await this.transport.json(response);
      return readWholeAnswer(payload, defaultsFor(request), [target.apiKey], this.limits.maxAnswerChars);
    });
  }

  stream(request: ModelRequest, target: ModelTarget, context: ModelCallContext): AsyncIterable<readonly ModelChunk[]> {
    const body = streamBody(request);
    const options = {
      defaults: defaultsFor(request),
      includeUsage: wantsUsage(request.params),
      maxAnswerChars: this.limits.maxAnswerChars,
      secrets: [target.apiKey],
    };
    return streamModel(this.limits, context, {
      open: async (deadline) => {
        const response = await this.transport.post({ target, path: PATH, body, stream: true, deadline });
        if (isEventStream(response)) return response;
        const payload = await this.transport.json(response);
        const failed = isJsonObject(payload) && (payload['error'] ?? null) !== null;
        throw failed ? errorInAnswer(payload, options.secrets) : badResponse('The model vendor did not send a stream');
      },
      reader: () => new ChatStreamReader(options),
    });
  }
}

const defaultsFor = (request: ModelRequest): ChunkDefaults => ({
  id: `chatcmpl-${uuidv7()}`,
  created: Math.floor(Date.now() / 1000),
  model: request.model,
});

const isEventStream = (response: Dispatcher.ResponseData): boolean => {
  const type = response.headers['content-type'];
  return type === undefined || String(type).toLowerCase().includes('text/event-stream');
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
