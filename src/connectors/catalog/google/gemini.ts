import type { JsonObject } from '../../../kernel';
import type { VendorCall, VendorCodec, VendorPost } from '../../vendor';
import { GeminiAnswer, type Signature } from './gemini-answer';
import { geminiFailure } from './gemini-failure';

/** Bytes of one answer, which may hold whole images. */
const MAX_BODY = 64 * 1024 * 1024;
/** A whole image comes in one event. */
const MAX_EVENT = 30_000_000;

/** Google's `generateContent` over REST (ai.google.dev/api/generate-content). The caller builds the body. */
export const GEMINI = {
  framing: 'sse',
  maxBodyBytes: MAX_BODY,
  maxEventChars: MAX_EVENT,
  decoder: (maxAnswerChars: number) => new GeminiAnswer(maxAnswerChars),
  failure: geminiFailure,
} as const satisfies Omit<VendorCodec<Signature>, 'encode'>;

export function geminiPost({ request, target, stream }: VendorCall<Signature>, body: JsonObject): VendorPost {
  const version = /\/v1(?:beta|alpha)?\d*\/?$/.test(target.baseUrl) ? '' : '/v1beta';
  const name = encodeURIComponent(request.model.replace(/^models\//, ''));
  const path = `${version}/models/${name}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
  return { path, headers: target.apiKey === null ? {} : { 'x-goog-api-key': target.apiKey }, body };
}
