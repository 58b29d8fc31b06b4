const MOST_ASSISTANTS = 20;
const ID = /^(?:lamb_assistant\.)?(\d{1,9})$/;

/** Ids in the custom parameter `assistant`: one or several, separated by commas. Null where it is no such list. */
export function assistantIdsIn(text: string): number[] | null {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const ids = parts.map((part) => Number(ID.exec(part)?.[1] ?? NaN));
  const isList = ids.length > 0 && ids.length <= MOST_ASSISTANTS && ids.every((id) => id > 0 && id < 2 ** 31);
  return isList ? [...new Set(ids)] : null;
}
