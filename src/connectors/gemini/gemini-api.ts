import { isJsonObject, type JsonObject } from '../../kernel';
import type { OutboundClient } from '../../platform/outbound';
import type { ModelCallContext, ModelChunk, ModelTarget } from '../contract';
import { openEventStream } from '../native';
import { badResponse, callModel, ModelTransport, streamModel, type ModelCallLimits } from '../transport';
import { GeminiAnswer, type GeminiGain } from './gemini-answer';
import { geminiFailure } from './gemini-failure';
import { GeminiStreamReader, type GeminiStreamOptions } from './gemini-stream-reader';

/** Answers hold whole images. Bytes. */
const MAX_BODY = 64 * 1024 * 1024;

export interface GeminiCall {
  readonly model: string;
  readonly body: JsonObject;
  readonly target: ModelTarget;
}

/** Google's `generateContent` over REST (ai.google.dev/api/generate-content). */
export class GeminiApi {
  private readonly transport: ModelTransport;

  constructor(
    outbound: OutboundClient,
    private readonly limits: ModelCallLimits,
  ) {
    this.transport = new ModelTransport(outbound, limits);
  }

  async generate(call: GeminiCall, context: ModelCallContext): Promise<GeminiGain & { readonly answer: GeminiAnswer }> {
    return callModel(this.limits, context, async (deadline) => {
      const response = await this.transport.post({ ...postOf(call, false), deadline });
      const payload = await this.transport.json(response, MAX_BODY);
      if (!isJsonObject(payload)) throw badResponse('The answer of the model vendor is no object');
      if ((payload['error'] ?? null) !== null) throw geminiFailure(payload, [call.target.apiKey]);
      const answer = new GeminiAnswer(this.limits.maxAnswerChars);
      const gain = answer.add(payload);
      if (!answer.finished) throw badResponse('The answer of the model vendor holds no candidates');
      return { ...gain, answer };
    });
  }

  stream(
    call: GeminiCall,
    context: ModelCallContext,
    options: GeminiStreamOptions,
  ): AsyncGenerator<readonly ModelChunk[]> {
    return streamModel(this.limits, context, {
      open: (deadline) => openEventStream(this.transport, { ...postOf(call, true), deadline }),
      reader: () => new GeminiStreamReader(options),
    });
  }
}

function postOf({ model, body, target }: GeminiCall, stream: boolean) {
  const version = /\/v1(?:beta|alpha)?\d*\/?$/.test(target.baseUrl) ? '' : '/v1beta';
  const name = encodeURIComponent(model.replace(/^models\//, ''));
  const path = `${version}/models/${name}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
  const headers: Record<string, string> = target.apiKey === null ? {} : { 'x-goog-api-key': target.apiKey };
  return { target, path, headers, body, stream };
}
