import { Inject, Injectable, Optional } from '@nestjs/common';
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
import { GeminiApi, geminiRequest } from '../../gemini';
import { charsOf, headOf, inlineImages, TurnMemory, type TurnOwner } from '../../native';
import { answerOf, wantsUsage } from '../../shapes';
import { DEFAULT_CALL_LIMITS, MODEL_CALL_LIMITS, truncated, type ModelCallLimits } from '../../transport';

interface Signature {
  readonly text: string;
}

/** Google's Gemini models. */
@Injectable()
export class GoogleConnector implements Connector {
  readonly definition: ConnectorDefinition = {
    name: 'google',
    aliases: ['gemini'],
    display_name: 'Google',
    description: 'Gemini models of Google; those that make images too.',
    capabilities: { streaming: true, vision: true, functions: true, image_generation: true },
    provider: 'google',
    needsKey: true,
    models: [],
    defaultModel: 'gemini-flash-latest',
  };
  private readonly api: GeminiApi;
  private readonly turns = new TurnMemory<Signature>();

  constructor(
    @Inject(OutboundClient) private readonly outbound: OutboundClient,
    @Optional() @Inject(MODEL_CALL_LIMITS) private readonly limits: ModelCallLimits = DEFAULT_CALL_LIMITS,
  ) {
    this.api = new GeminiApi(outbound, limits);
  }

  async complete(request: ModelRequest, target: ModelTarget, context: ModelCallContext): Promise<ModelAnswer> {
    const call = await this.call(request, target, context);
    const { text, calls, images, answer } = await this.api.generate(call, context);
    if (charsOf(text, calls) > this.limits.maxAnswerChars)
      throw truncated('The answer of the model vendor is too long');
    const { finishReason, usage } = answer;
    this.keep({ target, scope: context.scope }, answer.signatures);
    const content = text === '' && calls.length > 0 ? null : text;
    const whole = answerOf(headOf(request), { content, toolCalls: calls, finishReason, usage });
    return images.length === 0 ? whole : { ...whole, images };
  }

  async *stream(
    request: ModelRequest,
    target: ModelTarget,
    context: ModelCallContext,
  ): AsyncGenerator<readonly ModelChunk[]> {
    const call = await this.call(request, target, context);
    yield* this.api.stream(call, context, {
      head: headOf(request),
      includeUsage: wantsUsage(request.params),
      maxAnswerChars: this.limits.maxAnswerChars,
      secrets: [target.apiKey],
      keep: (signatures) => this.keep({ target, scope: context.scope }, signatures),
    });
  }

  private async call(request: ModelRequest, target: ModelTarget, { signal, scope }: ModelCallContext) {
    const images = await inlineImages(request.messages, this.outbound, signal);
    const body = geminiRequest(request, images, (callId) => this.turns.recall({ target, scope }, callId)?.text);
    return { model: request.model, body, target };
  }

  private keep(owner: TurnOwner, signatures: ReadonlyMap<string, string>): void {
    for (const [callId, text] of signatures) this.turns.keep(owner, callId, { text });
  }
}
