import { AppError } from '../../kernel';

const MODEL_ID = /^(?:lamb_)?assistant\.([1-9]\d{0,9})$/;
/** Ids are `integer` columns. */
const MAX_ID = 2_147_483_647;

/** Model name of an assistant for clients. */
export const modelId = (assistantId: number): string => `lamb_assistant.${assistantId}`;

export const modelNotFound = (model: string): AppError =>
  new AppError('model_not_found', `The model '${model.slice(0, 100)}' does not exist or you do not have access to it`);

/** Id of the assistant behind `lamb_assistant.{id}` or `assistant.{id}`. @throws `model_not_found`. */
export function assistantIdOf(model: string): number {
  const id = Number(MODEL_ID.exec(model)?.[1] ?? 0);
  if (id < 1 || id > MAX_ID) throw modelNotFound(model);
  return id;
}
