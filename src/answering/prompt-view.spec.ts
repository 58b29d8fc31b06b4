import type { PreparedPrompt } from '../runs';
import { visibleMessages } from './headless-completions.service';

const FETCHED = 'private passage '.repeat(200);

function prepared(content: string, fetched = FETCHED): PreparedPrompt {
  return {
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content },
    ],
    sources: [],
    report: {
      results: [{ preview: fetched }],
      prompt: [
        { text: 'Context: ', chars: 9 },
        { slot: '1_context', index: 0, text: fetched, chars: fetched.length },
      ],
    },
  } as unknown as PreparedPrompt;
}

const textOf = (prompt: PreparedPrompt, disclosure: 'whole' | 'previews' | 'none'): unknown[] =>
  visibleMessages(prompt, disclosure).map(({ content }) => content);

describe('the messages of a prompt', () => {
  it('are shown whole to those who edit the assistant, and to others not at all', () => {
    const prompt = prepared(`Context: ${FETCHED}`);
    expect(visibleMessages(prompt, 'whole')).toBe(prompt.messages);
    expect(visibleMessages(prompt, 'none')).toEqual([]);
  });

  it('show an administrator how the assistant is made, and previews of what its tools fetched', () => {
    const [system, text] = textOf(prepared(`Context: ${FETCHED} Question: Why?`), 'previews');
    expect(system).toBe('Be kind.');
    expect(text).toBe(`Context: ${FETCHED.slice(0, 500)}... Question: Why?`);
  });

  it('cut the text in list content, and leave other parts', () => {
    const prompt = prepared('');
    const image = { type: 'image_url', image_url: { url: 'data:' } };
    const message = { role: 'user' as const, content: [{ type: 'text', text: `Read ${FETCHED}` }, image] };
    const [shown] = visibleMessages({ ...prompt, messages: [message] }, 'previews');
    expect(shown?.content).toEqual([{ type: 'text', text: `Read ${FETCHED.slice(0, 500)}...` }, image]);
  });

  it('are all cut where a processor changed what was fetched', () => {
    const [, text] = textOf(prepared(FETCHED.toUpperCase()), 'previews');
    expect(text).toBe(`${FETCHED.toUpperCase().slice(0, 500)}...`);
  });

  it('keep what is as short as a preview', () => {
    const short = 'one passage';
    expect(textOf(prepared(`Context: ${short}`, short), 'previews')).toEqual(['Be kind.', `Context: ${short}`]);
  });
});
