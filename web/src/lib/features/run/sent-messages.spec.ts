import { describe, expect, it } from 'vitest';
import { sentMessages } from './sent-messages';

const dump = (messages: unknown): string =>
  `Messages:\n${JSON.stringify(messages, null, 2)}\n\nBody:\n${JSON.stringify({ model: 'x', messages }, null, 2)}`;

describe('the messages that a model would have been sent', () => {
  it('are read from the dump, to the letter', () => {
    const messages = [
      { role: 'system', content: 'Be *kind*.' },
      { role: 'user', content: '$\\bar{x}$\n\nBody:\n{1_context}' },
    ];
    expect(sentMessages(dump(messages))).toEqual([
      { role: 'system', text: 'Be *kind*.' },
      { role: 'user', text: '$\\bar{x}$\n\nBody:\n{1_context}' },
    ]);
  });

  it('keep what is no text', () => {
    const parts = [{ type: 'text', text: 'Look' }];
    const [message] = sentMessages(dump([{ role: 'user', content: parts }])) ?? [];
    expect(JSON.parse(message?.text ?? '')).toEqual(parts);
  });

  it.each(['Messages:\n[\n  {"role', 'user: Hello', ''])('are not known of %j', (text) => {
    expect(sentMessages(text)).toBeNull();
  });
});
