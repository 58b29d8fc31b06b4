import type { Message } from './conversation.types';

type Node = Pick<Message, 'id' | 'previousId'>;

/** The messages from the first one to `lastId`, in order. `messages` are sorted by position. */
export function branchTo<T extends Node>(messages: readonly T[], lastId: string | null): readonly T[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const branch: T[] = [];
  for (let id = lastId; id !== null;) {
    const message = byId.get(id);
    if (message === undefined) break;
    branch.push(message);
    // A cycle cannot be stored: a message is written after the one before it.
    id = message.previousId;
  }
  return branch.reverse();
}

/** The branch that is shown: to the message that the person chose, else to the newest one. */
export const shownBranch = <T extends Node>(messages: readonly T[], lastId: string | null): readonly T[] =>
  branchTo(messages, messages.some(({ id }) => id === lastId) ? lastId : (messages.at(-1)?.id ?? null));

/** Id of the newest message that builds on this one, or of itself. */
export function newestAfter(messages: readonly Node[], id: string): string {
  const after = new Set([id]);
  let newest = id;
  for (const message of messages) {
    if (message.previousId === null || !after.has(message.previousId)) continue;
    after.add(message.id);
    newest = message.id;
  }
  return newest;
}

/** Ids of a question and of all that were asked in its place, oldest first. */
export const versionsOf = (
  messages: readonly Pick<Message, 'id' | 'previousId' | 'role'>[],
  { previousId }: Node,
): readonly string[] =>
  messages.filter((message) => message.role === 'user' && message.previousId === previousId).map(({ id }) => id);
