import { AppError, isTextPart, textOf, type ChatMessage, type ContentPart, type JsonObject } from '@bellwether/kernel';
import { argumentsObject, imageUrlOf, type InlineImages } from '../../vendor';

export interface GeminiContent {
  readonly role: 'user' | 'model';
  readonly parts: JsonObject[];
}

/** The signature that came with a call, by the call's id. */
export type RecallSignature = (callId: string) => string | undefined;

/**
 * Gemini 3 and later refuse a returned call without its signature. This word replaces a lost one, for example after a
 * restart (ai.google.dev/gemini-api/docs/thought-signatures).
 */
const NO_SIGNATURE = 'skip_thought_signature_validator';
const WANTS_SIGNATURES = /gemini-(?:[3-9]|\d\d)/;

const isSystem = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer';

/** All system text, or '' for none. */
export const instructionOf = (messages: readonly ChatMessage[]): string =>
  messages
    .filter(isSystem)
    .map(({ content }) => textOf(content))
    .filter((text) => text !== '')
    .join('\n\n');

/**
 * The conversation in Gemini's turns: one role after the other, the results of a turn's calls together.
 * @throws AppError `upstream_rejected` for parts that the API does not take
 */
export function contentsOf(
  model: string,
  messages: readonly ChatMessage[],
  images: InlineImages,
  recall: RecallSignature,
): GeminiContent[] {
  const spoken = messages.filter((message) => !isSystem(message));
  const names = new Map(
    spoken.flatMap(({ tool_calls: calls = [] }) => calls.map((call) => [call.id, call.function.name] as const)),
  );
  const callsOf = callsWith(recall, WANTS_SIGNATURES.test(model) ? NO_SIGNATURE : undefined);
  const contents: GeminiContent[] = [];
  for (const message of spoken) {
    const said = isResult(message) ? [resultOf(message, names)] : partsOf(message.content, images);
    append(contents, message.role === 'assistant' ? 'model' : 'user', [...said, ...callsOf(message)]);
  }
  if (contents[0]?.role === 'model') contents.unshift({ role: 'user', parts: [{ text: '…' }] });
  return contents;
}

function append(contents: GeminiContent[], role: GeminiContent['role'], parts: JsonObject[]): void {
  const last = contents.at(-1);
  if (last?.role === role) last.parts.push(...parts);
  else if (parts.length > 0) contents.push({ role, parts });
}

const isResult = ({ role }: ChatMessage): boolean => role === 'tool' || role === 'function';

/** Only the first of parallel calls carries a signature. */
const callsWith =
  (recall: RecallSignature, otherwise: string | undefined) =>
  ({ tool_calls: calls = [] }: ChatMessage): JsonObject[] => {
    const known = calls.map(({ id }) => recall(id));
    const none = known.every((signature) => signature === undefined);
    return calls.map(({ function: called }, index) => {
      const signature = known[index] ?? (none && index === 0 ? otherwise : undefined);
      const functionCall = { name: called.name, args: argumentsObject(called.arguments) };
      return { functionCall, ...(signature === undefined ? {} : { thoughtSignature: signature }) };
    });
  };

/** Results are objects, matched to calls by name and order. */
function resultOf({ tool_call_id: id, name, content }: ChatMessage, names: ReadonlyMap<string, string>): JsonObject {
  const called = (id === undefined ? undefined : names.get(id)) ?? name ?? 'unknown';
  return { functionResponse: { name: called, response: { result: textOf(content) } } };
}

export function partsOf(content: ChatMessage['content'], images: InlineImages): JsonObject[] {
  const parts: readonly ContentPart[] = Array.isArray(content)
    ? (content as readonly ContentPart[])
    : [{ type: 'text', text: textOf(content) }];
  return parts.flatMap((part): JsonObject[] => {
    if (isTextPart(part)) return part.text === '' ? [] : [{ text: part.text }];
    const url = imageUrlOf(part);
    const image = url === null ? undefined : images.get(url);
    if (image === undefined) throw new AppError('upstream_rejected', 'Gemini takes text and images only');
    return [{ inlineData: { mimeType: image.mediaType, data: image.base64 } }];
  });
}
