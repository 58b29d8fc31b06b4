import { Inject, Injectable, Optional } from '@nestjs/common';
import { isJsonObject, uuidv7 } from '../../../kernel';
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
import { answerOf, wantsUsage, type AnswerHead } from '../../shapes';
import {
  badResponse,
  callModel,
  DEFAULT_CALL_LIMITS,
  errorInAnswer,
  MODEL_CALL_LIMITS,
  ModelTransport,
  streamModel,
  truncated,
  type ModelCallLimits,
} from '../../transport';
import { readOllamaMessage, sizeOf } from './ollama-answer';
import { ollamaRequest } from './ollama-request';
import { OllamaStreamReader } from './ollama-stream-reader';

const PATH = '/api/chat';

/** Ollama's native API (docs/api.md, "Generate a chat completion"); its OpenAI-compatible one ignores the context options. */
@Injectable()
export class OllamaConnector implements Connector {
  readonly definition: ConnectorDefinition = {
    name: 'ollama',
    aliases: [],
    display_name: 'Ollama',
    description: 'Models that run on a machine of the institution.',
    capabilities: { streaming: true, vision: true, functions: true, image_generation: false },
    provider: 'ollama',
    needsKey: false,
    models: [],
    defaultModel: null,
  };
  private readonly transport: ModelTransport;

  constructor(
    @Inject(OutboundClient) outbound: OutboundClient,
    @Optional() @Inject(MODEL_CALL_LIMITS) private readonly limits: ModelCallLimits = DEFAULT_CALL_LIMITS,
  ) {
    this.transport = new ModelTransport(outbound, limits);
  }

  async complete(request: ModelRequest, target: ModelTarget, context: ModelCallContext): Promise<ModelAnswer> {
    const body = ollamaRequest(request, false);
    return callModel(this.limits, context, async (deadline) => {
      const response = await this.transport.post({ target, path: PATH, body, stream: false, deadline });
      const payload = await this.transport.json(response);
      if (!isJsonObject(payload)) throw badResponse('The answer of the model vendor is no object');
      if ('error' in payload) throw errorInAnswer(payload, [target.apiKey]);
      const message = readOllamaMessage(payload, 0);
      if (message.finishReason === null) throw truncated();
      if (sizeOf(message) > this.limits.maxAnswerChars) throw truncated('The answer of the model vendor is too long');
      return answerOf(headOf(request), {
        content: message.content === '' && message.toolCalls.length > 0 ? null : message.content,
        toolCalls: message.toolCalls,
        finishReason: message.finishReason,
        usage: message.usage,
      });
    });
  }

  async *stream(
    request: ModelRequest,
    target: ModelTarget,
    context: ModelCallContext,
  ): AsyncGenerator<readonly ModelChunk[]> {
    const body = ollamaRequest(request, true);
    const options = {
      head: headOf(request),
      includeUsage: wantsUsage(request.params),
      maxAnswerChars: this.limits.maxAnswerChars,
      secrets: [target.apiKey],
    };
    yield* streamModel(this.limits, context, {
      open: (deadline) => this.transport.post({ target, path: PATH, body, stream: true, deadline }),
      reader: () => new OllamaStreamReader(options),
    });
  }
}

const headOf = (request: ModelRequest): AnswerHead => ({
  id: `chatcmpl-${uuidv7()}`,
  created: Math.floor(Date.now() / 1000),
  model: request.model,
});
