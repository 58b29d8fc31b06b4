import { isJsonObject, isTextPart, type ContentPart, type JsonObject } from '@bellwether/kernel';
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { AnswerHead } from '../../vendor';

export interface StrictChunk {
  readonly chunk: ChatCompletionChunk;
  /** False when the vendor's own text already has the strict shape and can be forwarded as it is. */
  readonly changed: boolean;
}

/**
 * Fills what OpenAI's schema requires and compatible vendors leave out (`id`, `created`, `object`, a choice's `index`
 * and `finish_reason`); extra members stay. `readMessages`: an empty delta gives way to a `message` beside it, which is
 * wrong once deltas have told the same. Anything without usable `choices` (a usage object at the end, a keep-alive) is a
 * chunk with none.
 */
export function strictChunk(payload: JsonObject, defaults: AnswerHead, readMessages: boolean): StrictChunk {
  const sent: unknown = payload['choices'];
  const vendorChoices = Array.isArray(sent) ? sent.filter(isJsonObject) : [];
  const choices = vendorChoices.map((choice, position) => strictChoice(choice, position, readMessages));
  const head = strictHead(payload, defaults);
  const isWhole = Array.isArray(sent) && sent.length === choices.length;
  const changed = head !== null || !isWhole || choices.some((choice, index) => choice !== vendorChoices[index]);
  // After the filling above the shape is OpenAI's.
  const chunk = (changed ? { ...payload, ...head, choices } : payload) as unknown as ChatCompletionChunk;
  return { chunk, changed };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function strictHead(payload: JsonObject, defaults: AnswerHead): JsonObject | null {
  const { id, created, model, object } = payload;
  const whole = isText(id) && Number.isSafeInteger(created) && isText(model) && object === 'chat.completion.chunk';
  if (whole) return null;
  return {
    id: isText(id) ? id : defaults.id,
    object: 'chat.completion.chunk',
    created: Number.isSafeInteger(created) ? created : defaults.created,
    model: isText(model) ? model : defaults.model,
  };
}

function strictChoice(choice: JsonObject, position: number, readMessages: boolean): JsonObject {
  const { index, finish_reason: finish, message: _message, ...rest } = choice;
  const delta = deltaOf(choice, readMessages);
  const hasFinish = finish === null || isText(finish);
  if (delta === choice['delta'] && Number.isSafeInteger(index) && hasFinish) return choice;
  return {
    ...rest,
    index: Number.isSafeInteger(index) ? index : position,
    delta,
    finish_reason: hasFinish ? finish : null,
  };
}

/** The choice's delta with text content only. With `readMessages`, an empty delta is replaced by `message`. */
function deltaOf({ delta, message }: JsonObject, readMessages: boolean): JsonObject {
  if (!isJsonObject(delta)) return strictDelta(message);
  return strictDelta(readMessages && isEmpty(delta) && isJsonObject(message) ? message : delta);
}

/** True when a chunk has something in a delta. */
export const usesDeltas = ({ choices }: JsonObject): boolean =>
  Array.isArray(choices) &&
  choices.some((choice) => isJsonObject(choice) && isJsonObject(choice['delta']) && !isEmpty(choice['delta']));

const isEmpty = (delta: JsonObject): boolean => Object.keys(delta).length === 0;

const isStrictDelta = ({ content }: JsonObject): boolean =>
  typeof content === 'string' || content === null || content === undefined;

/** Some vendors stream content as parts (reasoning beside text); a delta's content is text. */
function strictDelta(delta: unknown): JsonObject {
  if (!isJsonObject(delta)) return {};
  if (isStrictDelta(delta)) return delta;
  const { content, ...rest } = delta;
  return Array.isArray(content) ? { ...rest, content: textOfParts(content) } : rest;
}

/** Parts of an answer's content are pieces of one text: nothing stands between them. */
export const textOfParts = (parts: readonly unknown[]): string =>
  parts
    .map((part) => (isJsonObject(part) && isTextPart(part as unknown as ContentPart) ? (part['text'] as string) : ''))
    .join('');
