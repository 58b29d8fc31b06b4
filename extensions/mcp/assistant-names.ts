import type { RunnableAssistant } from '../../src/assistants';

const NAME = /^assistant_([1-9]\d{0,9})$/;
/** Ids are `integer` columns. */
const MAX_ID = 2_147_483_647;
const DESCRIPTION_CHARS = 1_000;

/** Name of an assistant's tool and prompt: it stays when the assistant is renamed (MCP specification, "Tool Names"). */
export const nameOf = ({ id }: Pick<RunnableAssistant, 'id'>): string => `assistant_${id}`;

/** Id behind a name, or null for what can be none. */
export function idOf(name: string): number | null {
  const id = Number(NAME.exec(name)?.[1] ?? 0);
  return id < 1 || id > MAX_ID ? null : id;
}

/** For the client's model, which chooses by it. */
export function describe({ name, description }: Pick<RunnableAssistant, 'name' | 'description'>): string {
  const text = description.trim() === '' ? name : `${name}: ${description.trim()}`;
  return text.slice(0, DESCRIPTION_CHARS).toWellFormed();
}
