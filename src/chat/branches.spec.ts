import { branchTo, newestAfter, shownBranch, versionsOf } from './conversation-reader.service';
import type { Message } from './conversation-message.entity';

type Node = Pick<Message, 'id' | 'previousId' | 'role'>;
const node = (id: string, previousId: string | null): Node => ({
  id,
  previousId,
  role: id.startsWith('q') ? 'user' : 'assistant',
});

/** q1 has two versions; the first one goes on with q2, which has two versions as well. */
const MESSAGES = [
  node('q1', null),
  node('a1', 'q1'),
  node('q2', 'a1'),
  node('a2', 'q2'),
  node('q1b', null),
  node('a1b', 'q1b'),
  node('q2b', 'a1'),
  node('a2b', 'q2b'),
];
const idsOf = (messages: readonly Node[]): string => messages.map(({ id }) => id).join(' ');

describe('branches of a conversation', () => {
  it.each([
    ['a2', 'q1 a1 q2 a2'],
    ['a2b', 'q1 a1 q2b a2b'],
    ['a1b', 'q1b a1b'],
    ['a1', 'q1 a1'],
  ])('to %s', (last, expected) => expect(idsOf(branchTo(MESSAGES, last))).toBe(expected));

  it('show the newest message where none is chosen, or the chosen one is gone', () => {
    expect(idsOf(shownBranch(MESSAGES, null))).toBe('q1 a1 q2b a2b');
    expect(idsOf(shownBranch(MESSAGES, 'gone'))).toBe('q1 a1 q2b a2b');
    expect(idsOf(shownBranch(MESSAGES, 'a1b'))).toBe('q1b a1b');
    expect(shownBranch([], null)).toEqual([]);
  });

  it.each([
    ['q1', 'a2b'],
    ['q2', 'a2'],
    ['q1b', 'a1b'],
  ])('go on behind %s to %s', (id, newest) => expect(newestAfter(MESSAGES, id)).toBe(newest));

  it('have the versions of a question, oldest first', () => {
    expect(versionsOf(MESSAGES, node('q1', null))).toEqual(['q1', 'q1b']);
    expect(versionsOf(MESSAGES, node('q2b', 'a1'))).toEqual(['q2', 'q2b']);
  });
});
