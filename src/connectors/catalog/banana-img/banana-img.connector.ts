import { Inject, Injectable, Optional } from '@nestjs/common';
import { AppError, lastUserIndex, textOf, type JsonObject } from '../../../kernel';
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
import { GeminiApi, partsOf } from '../../gemini';
import { headOf, inlineImages } from '../../native';
import { answerOf, chunkOf, usageChunkOf, wantsUsage } from '../../shapes';
import { badResponse, DEFAULT_CALL_LIMITS, MODEL_CALL_LIMITS, type ModelCallLimits } from '../../transport';
import { aspectRatioOf } from './aspect-ratio';

/**
 * Pictures by Gemini's image models: from the text of the last question, and from the pictures in it when it has some. The
 * rest of the conversation is not sent.
 */
@Injectable()
export class BananaImgConnector implements Connector {
  readonly definition: ConnectorDefinition = {
    name: 'banana_img',
    aliases: [],
    display_name: 'Gemini images',
    description: 'Makes and changes pictures with the image models of Google.',
    capabilities: { streaming: true, vision: true, functions: false, image_generation: true },
    provider: 'google',
    needsKey: true,
    models: [],
    modelPattern: 'image|imagen|banana',
    defaultModel: 'gemini-2.5-flash-image',
  };
  private readonly api: GeminiApi;

  constructor(
    @Inject(OutboundClient) private readonly outbound: OutboundClient,
    @Optional() @Inject(MODEL_CALL_LIMITS) limits: ModelCallLimits = DEFAULT_CALL_LIMITS,
  ) {
    this.api = new GeminiApi(outbound, limits);
  }

  /** @throws AppError besides those of every connector: `bad_request` without a text to draw from */
  async complete(request: ModelRequest, target: ModelTarget, context: ModelCallContext): Promise<ModelAnswer> {
    const body = await this.body(request, context.signal);
    const { text, images, answer } = await this.api.generate({ model: request.model, body, target }, context);
    const { finishReason, usage } = answer;
    if (images.length === 0 && text === '') throw badResponse('The model made no image');
    return { ...answerOf(headOf(request), { content: text, finishReason, usage }), images };
  }

  /** A picture has no pieces, so the whole answer is asked for and handed over at once. */
  async *stream(
    request: ModelRequest,
    target: ModelTarget,
    context: ModelCallContext,
  ): AsyncGenerator<readonly ModelChunk[]> {
    const head = headOf(request);
    const { text, images = [], finishReason, usage } = await this.complete(request, target, context);
    const chunks: ModelChunk[] = [chunkOf(head, { role: 'assistant', content: '' })];
    if (text !== '') chunks.push(chunkOf(head, { content: text }));
    if (images.length > 0) chunks.push({ ...chunkOf(head, { content: '' }), images });
    const finish = chunkOf(head, {}, finishReason);
    if (usage !== null && wantsUsage(request.params)) chunks.push(finish, usageChunkOf(head, usage));
    else chunks.push({ ...finish, usage });
    yield chunks;
  }

  private async body({ messages, params }: ModelRequest, signal: AbortSignal): Promise<JsonObject> {
    const asked = messages[lastUserIndex(messages)];
    if (asked === undefined || textOf(asked.content).trim() === '') {
      throw new AppError('bad_request', 'Say what the image shall show');
    }
    const parts = partsOf(asked.content, await inlineImages([asked], this.outbound, signal));
    const ratio = aspectRatioOf(params['size']);
    return {
      contents: [{ role: 'user', parts }],
      generationConfig: {
        responseModalities: ['TEXT', 'IMAGE'],
        ...(ratio === null ? {} : { imageConfig: { aspectRatio: ratio } }),
      },
    };
  }
}
