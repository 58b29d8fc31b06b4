import { describe, expect, it } from 'vitest';
import { blocksOf, elementsOf } from './markdown';

function drawn(text: string): HTMLElement {
  const box = document.createElement('div');
  for (const block of blocksOf(text)) box.append(elementsOf(block));
  return box;
}

describe('an answer', () => {
  it.each([
    ['a handler', '<img src=x onerror="alert(1)">'],
    ['a script', '<script>alert(1)</script>'],
    ['a frame', '<iframe src="https://evil.example"></iframe>'],
    ['a form', '<form action="https://evil.example"><input name="a"></form>'],
    ['a style', '<style>body{display:none}</style>'],
    ['an unfinished tag', 'so <img src=x onerror=alert(1)'],
    ['a picture of vectors', '<svg><a href="javascript:alert(1)">x</a></svg>'],
    ['a remote picture', '![pixel](https://tracker.example/p.png?q=secret)'],
    ['a picture by protocol', '![pixel](//tracker.example/p.png)'],
  ])('shows %s as text or as a link', (_, text) => {
    const box = drawn(text);
    expect(box.querySelector('img, script, iframe, form, input, style, svg')).toBeNull();
    for (const element of box.querySelectorAll('*')) {
      expect([...element.attributes].filter(({ name }) => name.startsWith('on') || name === 'style')).toEqual([]);
    }
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', '//evil.example', 'java\nscript:x'])(
    'leads nowhere by %s',
    (href) => expect(drawn(`[x](<${href}>)`).querySelector('a[href]')).toBeNull(),
  );

  it('leads out by web links, in a tab that knows nothing of this one', () => {
    const link = drawn('[x](https://example.edu/a)').querySelector('a');
    expect(link?.getAttribute('href')).toBe('https://example.edu/a');
    expect(link?.rel).toContain('noopener');
    expect(link?.target).toBe('_blank');
  });

  it('shows pictures of this service and pictures that hold their own bytes', () => {
    expect(drawn('![a](/api/v1/images?link=01)').querySelector('img')?.getAttribute('alt')).toBe('a');
    expect(drawn('![b](data:image/png;base64,AAAA)').querySelector('img')).not.toBeNull();
    expect(drawn('![c](data:image/svg+xml;base64,AAAA)').querySelector('img')).toBeNull();
  });

  it('marks citations, also several in one, but not in code or links', () => {
    const marks = [...drawn('One [1], more [2, 12]. `a[3]` [4](https://x.edu) x[5]y').querySelectorAll('[data-cite]')];
    expect(marks.map((mark) => mark.getAttribute('data-cite'))).toEqual(['1', '2', '12', '5']);
  });

  it('finds formulas in all their ways of writing, and leaves prices alone', () => {
    const tex = (text: string) =>
      [...drawn(text).querySelectorAll('[data-tex]')].map((node) => [
        node.getAttribute('data-tex'),
        node.hasAttribute('data-display'),
      ]);
    expect(tex('so $a_1$ and \\(b\\)')).toEqual([
      ['a_1', false],
      ['b', false],
    ]);
    expect(tex('$$\nx < y\n$$')).toEqual([['x < y', true]]);
    expect(tex('\\[ \\frac{a}{b} \\]')).toEqual([['\\frac{a}{b}', true]]);
    expect(tex('It costs $5 and $10, they say.')).toEqual([]);
    expect(tex('`$a$`')).toEqual([]);
  });

  it('has headings that follow one another from the third level on', () => {
    const levels = blocksOf('## A\n\n#### B\n\n### C\n\n# D\n\n> ## quoted').map(({ headingLevel }) => headingLevel);
    expect(levels).toEqual([3, 4, 4, 3, 0]);
  });

  it('keeps what was there while it grows', () => {
    const before = blocksOf('# A\n\none\n\ntwo').map(({ key }) => key);
    const after = blocksOf('# A\n\none\n\ntwo and more\n\nthree').map(({ key }) => key);
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(after).toHaveLength(4);
  });
});
