import { resultText } from './mcp.function';

describe('what a tool returned, as text', () => {
  it('joins texts and names what is no text', () => {
    const content = [
      { type: 'text', text: 'One.' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///a', text: 'Two.' } },
      { type: 'resource', resource: { uri: 'file:///b', blob: 'AAAA', mimeType: 'application/pdf' } },
      { type: 'resource_link', uri: 'https://x.example/', name: 'X' },
      { type: 'unheard-of', text: 'no' },
      'nonsense',
      null,
    ];
    expect(resultText({ content })).toBe(
      [
        'One.',
        '[image image/png]',
        '[audio audio/wav]',
        'Two.',
        '[resource file:///b application/pdf]',
        '[resource X https://x.example/]',
      ].join('\n\n'),
    );
  });

  it('falls back on structured content, and on nothing', () => {
    expect(resultText({ content: [], structuredContent: { a: 1 } })).toBe('{"a":1}');
    expect(resultText({ content: 'nonsense' })).toBe('');
    expect(resultText({})).toBe('');
  });

  it('is bounded and well formed', () => {
    const content = Array.from({ length: 1_000 }, () => ({ type: 'text', text: 'x'.repeat(10_000) }));
    expect(resultText({ content })).toHaveLength(60_000);
    expect(resultText({ content: [{ type: 'text', text: 'a\0b\ud800' }] })).toBe('a\ufffdb\ufffd');
  });
});
