import { Inject, Injectable, Optional } from '@nestjs/common';
import { isJsonObject, type JsonObject } from '../../../kernel';
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
import { charsOf, headOf, inlineImages, openEventStream, TurnMemory, type TurnOwner } from '../../native';
import { answerOf, wantsUsage } from '../../shapes';
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
import { readMessage } from './anthropic-answer';
import { anthropicRequest } from './anthropic-request';
import { AnthropicStreamReader } from './anthropic-stream-reader';

const VERSION = '2023-06-01';

/** The Messages API of Anthropic, and of gateways that speak it. */
@Injectable()
export class AnthropicConnector implements Connector {
  readonly definition: ConnectorDefinition = {
    name: 'anthropic',
    aliases: ['claude'],
    display_name: 'Anthropic',
    description: 'Claude models of Anthropic.',
    capabilities: { streaming: true, vision: true, functions: true, image_generation: false },
    provider: 'anthropic',
    needsKey: true,
    models: [],
    defaultModel: 'claude-haiku-4-5',
  };
  private readonly transport: ModelTransport;
  private readonly turns = new TurnMemory<readonly JsonObject[]>();

  constructor(
    @Inject(OutboundClient) private readonly outbound: OutboundClient,
    @Optional() @Inject(MODEL_CALL_LIMITS) private readonly limits: ModelCallLimits = DEFAULT_CALL_LIMITS,
  ) {
    this.transport = new ModelTransport(outbound, limits);
  }

  async complete(request: ModelRequest, target: ModelTarget, context: ModelCallContext): Promise<ModelAnswer> {
    const post = await this.post(request, target, context, false);
    return callModel(this.limits, context, async (deadline) => {
      const response = await this.transport.post({ ...post, deadline });
      const payload = await this.transport.json(response);
      if (!isJsonObject(payload)) throw badResponse('The answer of the model vendor is no object');
      if (payload['type'] === 'error') throw errorInAnswer(payload, [target.apiKey]);
      const { text, calls, finishReason, usage, kept } = readMessage(payload);
      if (charsOf(text, calls) > this.limits.maxAnswerChars)
        throw truncated('The answer of the model vendor is too long');
      if (kept !== null)
        this.keep(
          { target, scope: context.scope },
          calls.map(({ id }) => id),
          kept,
        );
      const content = text === '' && calls.length > 0 ? null : text;
      return answerOf(headOf(request), { content, toolCalls: calls, finishReason, usage });
    });
  }

  async *stream(
    request: ModelRequest,
    target: ModelTarget,
    context: ModelCallContext,
  ): AsyncGenerator<readonly ModelChunk[]> {
    const post = await this.post(request, target, context, true);
    const options = {
      head: headOf(request),
      includeUsage: wantsUsage(request.params),
      maxAnswerChars: this.limits.maxAnswerChars,
      secrets: [target.apiKey],
      keep: (callIds: readonly string[], blocks: readonly JsonObject[]) =>
        this.keep({ target, scope: context.scope }, callIds, blocks),
    };
    yield* streamModel(this.limits, context, {
      open: (deadline) => openEventStream(this.transport, { ...post, deadline }),
      reader: () => new AnthropicStreamReader(options),
    });
  }

  private async post(request: ModelRequest, target: ModelTarget, { signal, scope }: ModelCallContext, stream: boolean) {
    const images = await inlineImages(request.messages, this.outbound, signal);
    const body = anthropicRequest(request, stream, images, (callId) => this.turns.recall({ target, scope }, callId));
    const headers = {
      'anthropic-version': VERSION,
      ...(target.apiKey === null ? {} : { 'x-api-key': target.apiKey }),
    };
    return { target, path: pathAt(target.baseUrl), headers, body: body as unknown as JsonObject, stream };
  }

  private keep(owner: TurnOwner, callIds: readonly string[], blocks: readonly JsonObject[]): void {
    for (const callId of callIds) this.turns.keep(owner, callId, blocks);
  }
}

/** The vendor's base URL has no version in it; those of gateways often do. */
const pathAt = (baseUrl: string): string => (/\/v1\/?$/.test(baseUrl) ? '/messages' : '/v1/messages');
