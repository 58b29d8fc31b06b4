import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { isJsonObject, textOf, type ContentPart, type JsonObject } from '../../../kernel';

/** Stands in for what a vendor leaves out; the same for all chunks of one answer. */
export interface ChunkDefaults {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

export interface StrictChunk {
  readonly chunk: ChatCompletionChunk;
  /** False when the vendor's own text already has the strict shape and can be forwarded as it is. */
  readonly changed: boolean;
}

/**
 * Fills what OpenAI's schema requires and compatible vendors leave out (`id`, `created`, `object`, a choice's `index`
 * and `finish_reason`); extra members stay. Null when there are no usable `choices`.
 */
export function strictChunk(payload: JsonObject, defaults: ChunkDefaults): StrictChunk | null {
  const vendorChoices = payload['choices'];
  if (!Array.isArray(vendorChoices) || !vendorChoices.every(isJsonObject)) return null;
  const choices = vendorChoices.map(strictChoice);
  const head = strictHead(payload, defaults);
  const changed = head !== null || choices.some((choice, index) => choice !== vendorChoices[index]);
  // After the filling above the shape is OpenAI's.
  const chunk = (changed ? { ...payload, ...head, choices } : payload) as unknown as ChatCompletionChunk;
  return { chunk, changed };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function strictHead(payload: JsonObject, defaults: ChunkDefaults): JsonObject | null {
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

function strictChoice(choice: JsonObject, position: number): JsonObject {
  const { index, finish_reason: finish, delta } = choice;
  const hasFinish = finish === null || isText(finish);
  const hasDelta = isJsonObject(delta) && !Array.isArray(delta['content']);
  if (Number.isSafeInteger(index) && hasFinish && hasDelta) return choice;
  return {
    ...choice,
    index: Number.isSafeInteger(index) ? index : position,
    delta: strictDelta(delta),
    finish_reason: hasFinish ? finish : null,
  };
}

/** Some vendors stream content as parts (reasoning beside text); a delta's content is text. */
function strictDelta(delta: unknown): JsonObject {
  if (!isJsonObject(delta)) return {};
  const { content } = delta;
  return Array.isArray(content) ? { ...delta, content: textOf(content.filter(isJsonObject) as ContentPart[]) } : delta;
}
