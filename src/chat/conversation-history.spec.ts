import type { ContentPart } from '@bellwether/kernel';
import type { MessageStatus } from './conversation-message.entity';
import { historyOf, titleOf } from './questions.service';

type Said = Parameters<typeof historyOf>[0][number];
const LIMITS = { exchanges: 2, chars: 100, pictureChars: 200 };

const question = (text: string, parts: readonly ContentPart[] | null = null): Said => ({
  role: 'user',
  text,
  parts,
  status: 'completed',
});
const answer = (text: string, status: MessageStatus = 'completed'): Said => ({
  role: 'assistant',
  text,
  parts: null,
  status,
});
const texts = (...messages: Said[]) => historyOf(messages, LIMITS).map(({ content }) => content);

describe('the history that is sent with a question', () => {
  it('holds the newest exchanges, oldest first', () => {
    const messages = [1, 2, 3].flatMap((n) => [question(`q${n}`), answer(`a${n}`)]);
    expect(texts(...messages)).toEqual(['q2', 'a2', 'q3', 'a3']);
  });

  it('leaves out questions without an answer, and keeps stopped answers', () => {
    const stopped = [question('q2'), answer('half', 'cancelled')];
    expect(texts(question('q1'), answer('', 'failed'), ...stopped)).toEqual(['q2', 'half']);
    expect(texts(question('q1'), answer('', 'cancelled'), question('q2'), answer('', 'running'))).toEqual([]);
  });

  it('ends before the exchange that is too long', () => {
    expect(texts(question('x'.repeat(100)), answer('a1'), question('q2'), answer('a2'))).toEqual(['q2', 'a2']);
  });

  it('keeps pictures while there is room', () => {
    const parts = [{ type: 'image_url', image_url: { url: 'x'.repeat(100) } }];
    const messages = [question('q1', parts), answer('a1'), question('q2', parts), answer('a2')];
    expect(texts(...messages)).toEqual(['q1', 'a1', parts, 'a2']);
  });
});

describe('the title of a conversation', () => {
  it.each([
    ['  What is\n osmosis? ', 'What is osmosis?'],
    [`${'word '.repeat(15)}longword another`, `${'word '.repeat(15)}…`.replace(' …', '…')],
    ['x'.repeat(90), `${'x'.repeat(80)}…`],
  ])('of %j', (text, title) => expect(titleOf(text)).toBe(title));
});
