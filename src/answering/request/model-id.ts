import type { AssistantReference } from '../../assistants';
import { AppError, isStorableText } from '../../kernel';

const MODEL_ID = /^(?:lamb_)?assistant\.([1-9]\d{0,9})$/;
const EXACT = /^assistant\.([1-9]\d{0,9})$/;
const OF_LAMB = /^(?:lamb_assistant\.)?([1-9]\d{0,9})$/;
const ALIAS = /^lamb:([a-z0-9][a-z0-9._-]{0,62})\.([1-9]\d{0,9})$/;
const NAMED = /^LAMB:/;
const MAX_LENGTH = 256;
/** Ids are `integer` columns. */
const MAX_ID = 2_147_483_647;

/** Model name of an assistant for clients. */
export const modelId = (assistantId: number): string => `lamb_assistant.${assistantId}`;

/** Model name that never means an imported assistant of this number. */
export const exactModelId = (assistantId: number): string => `assistant.${assistantId}`;

export const modelNotFound = (model: string): AppError =>
  new AppError('model_not_found', `The model '${model.slice(0, 100)}' does not exist or you do not have access to it`);

/** Id of the assistant behind `lamb_assistant.{id}` or `assistant.{id}`. @throws `model_not_found`. */
export function assistantIdOf(model: string): number {
  return inRange(Number(MODEL_ID.exec(model)?.[1] ?? 0), model);
}

function inRange(id: number, model: string): number {
  if (id < 1 || id > MAX_ID) throw modelNotFound(model);
  return id;
}

/**
 * Readings of a model's name: `assistant.{id}` is an id, `lamb_assistant.{number}` an id or the number of an imported
 * assistant, `lamb:{source}.{number}` that number at one source, `LAMB:{name}` a name. A plain number or name is
 * accepted too. @throws `model_not_found` for a text that is none of them
 */
export function readModelName(model: string): number | readonly AssistantReference[] {
  const exact = EXACT.exec(model);
  if (exact !== null) return assistantIdOf(model);
  const [, source, there] = ALIAS.exec(model) ?? [];
  if (source !== undefined) return [{ kind: 'alias', source, number: inRange(Number(there), model) }];
  const number = OF_LAMB.exec(model)?.[1];
  const name: AssistantReference = { kind: 'name', name: model.replace(NAMED, '') };
  if (number === undefined) {
    if (name.name === '' || model.length > MAX_LENGTH || !isStorableText(model)) throw modelNotFound(model);
    return [name];
  }
  const numbered: AssistantReference = { kind: 'number', number: inRange(Number(number), model) };
  return number === model ? [numbered, name] : [numbered];
}
