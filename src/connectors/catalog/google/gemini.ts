import type { JsonObject } from '@bellwether/kernel';
import type { ModelTarget } from '../../contract';
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

/** Before each path, unless the base URL names a version. */
export const versionFor = ({ baseUrl }: ModelTarget): string =>
  /\/v1(?:beta|alpha)?\d*\/?$/.test(baseUrl) ? '' : '/v1beta';

export const keyHeader = ({ apiKey }: ModelTarget): Record<string, string> =>
  apiKey === null ? {} : { 'x-goog-api-key': apiKey };

export function geminiPost({ request, target, stream }: VendorCall<Signature>, body: JsonObject): VendorPost {
  const name = encodeURIComponent(request.model.replace(/^models\//, ''));
  const path = `${versionFor(target)}/models/${name}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
  return { path, headers: keyHeader(target), body };
}
